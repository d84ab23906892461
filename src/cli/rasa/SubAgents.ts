/** Reads the sub-agents of a Rasa project, and the servers with their tools. */
import type { Report } from "./ImportReport.js"
import type { Item, Project } from "./Project.js"

export interface SubAgents {
  readonly has: (agent: string) => boolean
  /** Returns the task of the agent in the words of the project. */
  readonly description: (agent: string) => string | undefined
  /** Returns the field that the agent sets when it is done. */
  readonly doneOf: (agent: string, at: Item) => string
  /** Advice for the report: which tools the agent's step needs. */
  readonly advice: (agent: string) => string
  /** The name of an MCP server, with its address. */
  readonly server: (name: string) => string
}

/** The names at the top of a file that describes an agent. */
const names = ["agent", "configuration", "connections"]

/** True for the file of an agent. */
export const isAgent = (file: Item): boolean => file.get("agent")?.get("name") !== undefined

const listed = (connection: Item, name: string): string =>
  connection.each(name).flatMap(({ text }) => text ?? []).join(", ")

/** Reads the agents. `done` declares the field with which an agent says that it is done. */
export const read = (
  project: Project,
  report: Report,
  done: (agent: string, at: Item) => string
): SubAgents => {
  const agents = new Map<string, Item>()
  for (const file of project.files.filter(isAgent)) {
    report.others(file, "agent", names)
    agents.set(report.name(file, "agent", file.get("agent")!.at("name")!), file)
  }
  const urls = new Map(
    project.files.flatMap((file) => file.each("mcp_servers")).map((one) => [one.at("name"), one.at("url")] as const)
  )
  const server = (name: string): string => {
    const url = urls.get(name)
    return url === undefined ? name : `${name} (${url})`
  }
  const fields = new Map<string, string>()
  const doneOf = (agent: string, at: Item): string => {
    const field = fields.get(agent) ?? done(agent, at)
    fields.set(agent, field)
    return field
  }
  const toolsOf = (file: Item): ReadonlyArray<string> =>
    (file.get("connections")?.each("mcp_servers") ?? []).map((one) => {
      const [only, without] = [listed(one, "include_tools"), listed(one, "exclude_tools")]
      return `tools of the MCP server ${server(one.at("name") ?? "")}${only === "" ? "" : `, only ${only}`}${
        without === "" ? "" : `, without ${without}`
      }`
    })
  const needsOf = (file: Item): ReadonlyArray<string> => {
    const [template, module] = ["prompt_template", "module"].map((name) => file.get("configuration")?.at(name))
    return [
      ...toolsOf(file),
      ...(template === undefined ? [] : [`its prompt from ${template}`]),
      ...(module === undefined ? [] : [`what its code ${module} does`])
    ]
  }
  const advice = (agent: string): string => {
    const file = agents.get(agent)
    if (file?.get("agent")?.at("protocol")?.toLowerCase() === "a2a") {
      return "It is reached by the A2A protocol, which has no counterpart: write a tool that asks it, and add it to `tools` of its step"
    }
    const needs = file === undefined ? [] : needsOf(file)
    return needs.length === 0
      ? "Its step is a prompt: give the step the tools that the agent has"
      : `Its step is a prompt: add to the step ${needs.join("; ")}`
  }
  return {
    has: (agent) => agents.has(agent),
    description: (agent) => agents.get(agent)?.get("agent")?.at("description"),
    doneOf,
    advice,
    server
  }
}
