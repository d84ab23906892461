/** English answers. */
import type { Language } from "./ConsentLanguage.js"

/**
 * @since 0.2.0
 * @category languages
 */
export const english: Language = {
  code: "en",
  agrees:
    `yes, yeah, yep, yup, yea, aye, sure, sure thing, for sure, ok, okay, okey, k, kk, alright, all right, alrighty,
    right, correct, that is correct, that's correct, thats correct, exactly, absolutely, definitely, certainly, of course,
    agreed, i agree, i confirm, i do confirm, i can confirm, i hereby confirm, i consent, i accept, i approve, confirm,
    confirmed, approved, go ahead, please go ahead, go on, go for it, do it, just do it, do that, do so, do this, please do,
    proceed, carry on, sounds good, sounds great, sounds right, sounds fine, sounds correct, sounds all right, sounds
    alright, sounds ok, sounds okay, sounds perfect, looks good, looks great, looks right, looks correct, looks fine, looks
    ok, works for me, that works, this works, fine, that is fine, that's fine, that's right, that is right, that's it, that
    is it, perfect, make it so, make it happen, let's do it, lets do it, let's do that, lets do that, let's do this, let's go,
    let's go ahead, lets go ahead, you have my permission, you have my ok, you have my approval, affirmative, indeed, you bet,
    that will do, that'll do, all good, all correct, good to go, by all means, i'm happy with that, i am happy with that, happy
    with that, i'm ok with that, i am ok with that, i'm okay with that, i'm sure, i am sure, yes i do, i do, i would love that,
    i'd like that, i would like that, that is what i want, that's what i want`,
  refuses:
    `no, nope, nah, nay, never, no way, not, do not, don't, dont, please don't, please dont, stop, stop it, never mind,
    nevermind, forget it, forget that, forget about it, leave it, leave it be, leave it alone, leave it as it is, leave it as
    is, leave it like that, leave it there, keep it, keep it as it is, i want to keep it, i'll keep it, i will keep it, changed
    my mind, i changed my mind, i've changed my mind, i have changed my mind, not now, not yet, not today, not anymore, rather
    not, i'd rather not, i would rather not, absolutely not, of course not, definitely not, certainly not, hold off, decline, i
    decline, i refuse, refuse, negative, no thanks, no thank you, wrong, that's wrong, that is wrong, incorrect, that's
    incorrect, abort, abort that, scratch that, drop it, drop that, skip it, skip that, i don't want that, i don't want to, i
    don't want it, don't do it, don't do that, please don't do that, not interested, actually no, wait no, no wait, i do not want that, i do not want to, i do not want it, not right, not correct, that's not right, that is not right, that's not correct, that is not correct, isn't right, i'm not interested, i take it back, 👎, ❌,
    🚫`,
  beside:
    `please, pls, plz, thanks, thank you, thx, ty, cheers, so much, very much, a lot, many thanks, kindly, hi, hello, hey,
    that, it, this, the, my, mine, a, an, i, you, we, our, your, of, is, are, am, i'm, im, it's, its, that's, thats, there, now,
    right now, right away, straight away, immediately, asap, as soon as possible, for me, with it, with that, with this, with the,
    with my, then, well, so, really, very, oh, ah, great, good, awesome, excellent, cool, nice, wonderful, lovely, super,
    brilliant, to me, sorry, no problem, no worries, no problem at all, sir, madam, i want to, i do want to, i'd like to, i would like to, i'd
    like you to, i would like you to, i want you to, i want, to, you can, you may, you can do that, everything is correct,
    everything looks good, everything looks right, everything is right, everything is fine, the details are correct, all the
    details are correct, the information is correct, all of that is correct, as described, as discussed, as you described, as you
    said, as stated, to proceed, to go ahead, to do that, to do so, to do this, proceed with, go ahead with, go ahead and, go on
    with, carry on with, still, to confirm, one hundred percent, 100, process, complete, request, my request, the request, this
    request, the change, the changes, these changes, those changes, that change, this change, on, action, 👍, ✅, 👌, ✔, 🙏, 🙂, 😊, 😀, 😁, 😃, ❤, 🎉,
    👋`,
  denies:
    `isn't, isnt, wasn't, aren't, arent, can't, cant, cannot, can not, won't, wont, wouldn't, shouldn't, couldn't, doesn't,
    doesnt, didn't, didnt, haven't, hasn't, none, nothing, nobody, neither, nor, without, except, excluding, no longer, undo,
    revert, opposite, far from, hardly, refuse to, against`,
  conditions:
    `if, only if, but only if, unless, as long as, so long as, provided, provided that, providing, assuming, supposing, in
    case, once, when, whenever, until, till, after, before, depends, depending, otherwise, or else, on condition, whether, subject
    to, first, only, only when, as soon as, in that case, given that, except`,
  hesitates:
    `wait, waiting, hold on, hang on, hold, one moment, one second, one sec, one minute, just a moment, just a second, just
    a sec, just a minute, a moment, a minute, a sec, a second, maybe, perhaps, possibly, probably, not sure, unsure, i guess, guess, i
    suppose, suppose, i think so, i think, i believe, i hope so, think about it, let me, hmm, hmmm, hm, mm, um, uh, erm, later, tomorrow, kind of,
    kinda, sort of, might, please confirm, confirm first, pause, careful, actually, was, were, almost, soon, someday, undecided, no idea, no clue,
    idk, whatever, 🤔, 🤨, 😕, 🤷, 🙄`,
  quotes:
    `said, says, say, saying, told, tells, asked me, claimed, claims, heard, according to, apparently, quote, wrote, writes, mentioned,
    promised, supposedly, would say, texted, replied, answered`,
  asks:
    `what, whats, what's, where, who, why, which, how, can i, can you, can we, could you, could i, could we, would you, would it, would i,
    will you, will i, will it, will there, will that, do i, do you, do we, does it, does that, does this, did you, did i, is it, is that,
    is this, is there, are there, are you, am i, may i, should i, shall i, have you, has it, wonder, wondering, tell me, explain, a question,
    questions, question, curious, want to know, like to know, need to know, sorry what, huh, pardon, come again`,
  more:
    `all, already, myself, also, too, as well, additionally, plus, another, other, others, else, instead, rather, but, however, although, though, both, all of
    them, different, differently, second one, first one, the one, not this, besides, and then, then also, while you are at it, while you're at it,
    meanwhile, by the way, btw, next, again, each, every, twice`,
  wishes:
    `transfer, connect, speak, talk, call, contact, email, mail, send, change, modify, update, book, rebook, reschedule, cancel, refund,
    return, exchange, add, remove, delete, order, buy, pay, charge, upgrade, downgrade, check, look, show, find, give, help, need, switch, move,
    replace, reserve, human, agent, person, representative, manager, supervisor, somebody, someone, operator, apply, credit, compensation, discount,
    voucher, open, close, ship, deliver, repeat, read, list, start, keep, make, get, put, take, use, ask, hotel, flight, complaint, complain, include,
    extend, schedule, confirm, include, increase, lower, reduce, raise, set, turn`,
  joins: "and, or, &",
  endings: ", e, ed, d, ing, led, ling, ped, ping, lation, ation, tion, ion, ment, al, ance, ery, y, ies, ied",
  unclear: {
    asks: "You asked something back, so I have not done anything yet.",
    quotes: "I am not sure that this is your own answer, so I have not done anything yet.",
    condition: "You named a condition, so I have not done anything yet.",
    denies: "I am not sure whether that was a yes or a no, so I have not done anything yet.",
    hesitates: "You do not seem sure yet, so I have not done anything yet.",
    more: "You mentioned something else as well, so I have not done anything yet.",
    silent: "I did not get a clear yes, so I have not done anything yet."
  }
}
