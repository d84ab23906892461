/** A clinic: appointments, prescriptions, results. */
import { Agent } from "coxswain"
import { Schema } from "effect"

export const kit = Agent.define({
  data: Schema.Struct({
    doctor: Schema.Literal("dentist", "dermatologist", "general practitioner").annotations({
      description: "the kind of doctor"
    }),
    day: Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/)).annotations({
      description: "the day of the appointment, as YYYY-MM-DD"
    }),
    time: Schema.String.pipe(Schema.pattern(/^\d{2}:\d{2}$/)).annotations({
      description: "the time of the appointment, as HH:MM in 24 hours"
    }),
    born: Schema.String.pipe(Schema.pattern(/^\d{4}-\d{2}-\d{2}$/)).annotations({
      description: "the patient's date of birth, as YYYY-MM-DD"
    }),
    insured: Schema.Boolean.annotations({ description: "whether the patient is insured" }),
    symptoms: Schema.Array(Schema.String).annotations({
      description: "the symptoms, a word or two each",
      merge: "append"
    }),
    drug: Schema.String.annotations({ description: "the drug that is to be prescribed again" }),
    packs: Schema.Int.pipe(Schema.between(1, 5)).annotations({ description: "how many packs of the drug" })
  })
})

export default kit.make({
  name: "Mill Lane Clinic",
  flows: [
    {
      id: "appointment",
      title: "Make an appointment",
      when: "the patient wants to see a doctor",
      requiredFields: ["doctor", "day", "time", "born"],
      optionalFields: ["symptoms", "insured"],
      steps: [
        { id: "who", collect: ["doctor"], prompt: "Ask which kind of doctor" },
        { id: "moment", collect: ["day", "time"], prompt: "Ask for the day and the time" },
        { id: "patient", collect: ["born"], prompt: "Ask for the date of birth" },
        {
          id: "offer",
          reply: "Doctor Silva is free then, at our house in Mill Lane. Is that all right?",
          branches: [
            { when: "the patient agrees to Doctor Silva", then: "made" },
            { when: "the patient wants another doctor", then: "other" }
          ]
        },
        { id: "made", reply: "The appointment is made.", neverCompletes: true },
        { id: "other", reply: "Doctor Costa is free, too.", neverCompletes: true }
      ]
    },
    {
      id: "move",
      title: "Move an appointment",
      when: "the patient wants to move an appointment to another time",
      requiredFields: ["day"],
      steps: [
        { id: "to", collect: ["day"], prompt: "Ask for the new day" },
        { id: "moved", reply: "The appointment is moved.", neverCompletes: true }
      ]
    },
    {
      id: "prescription",
      title: "Prescribe again",
      when: "the patient needs a prescription again",
      requiredFields: ["drug", "packs"],
      steps: [
        { id: "what", collect: ["drug", "packs"], confirm: true, prompt: "Ask for the drug and the number of packs" },
        { id: "done", reply: "The prescription is ready tomorrow.", neverCompletes: true }
      ]
    },
    {
      id: "results",
      title: "Ask for results",
      when: "the patient asks for results of a test",
      reentrant: true,
      steps: [{ id: "tell", reply: "Results are told by your doctor only." }]
    }
  ],
  signals: [{
    id: "emergency",
    when: "the patient is in danger right now",
    phase: "pre",
    handler: () => ({ reply: "Call 112 at once." })
  }],
  branches: [{ id: "person", when: "the patient asks to talk to a person", then: { reply: "I will get a colleague." } }]
})
