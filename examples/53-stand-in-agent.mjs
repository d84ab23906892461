/**
 * Stands in for Claude Code, so that the example runs without it: it is given a task, says what it does in the lines of
 * `claude -p --output-format stream-json`, and mends the one mistake it knows in the folder where it works.
 */
import * as fs from "node:fs"

let task = ""
for await (const text of process.stdin.setEncoding("utf8")) task += text

const session_id = "stand-in-1"
const line = (value) => process.stdout.write(`${JSON.stringify({ ...value, session_id })}\n`)
const assistant = (content) => line({ type: "assistant", message: { role: "assistant", content: [content] } })
const tool = (id, name, input, work) => {
  assistant({ type: "tool_use", id, name, input })
  const content = work()
  line({ type: "user", message: { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] } })
  return content
}

line({ type: "system", subtype: "init", model: "stand-in" })
assistant({ type: "text", text: `I look for it: ${task.trim()}` })
const code = tool("t1", "Read", { file: "sum.mjs" }, () => fs.readFileSync("sum.mjs", "utf8"))
tool("t2", "Edit", { file: "sum.mjs", old: "a - b", new: "a + b" }, () => {
  fs.writeFileSync("sum.mjs", code.replace("a - b", "a + b"))
  return "1 change"
})
const usage = { input_tokens: 900, output_tokens: 80 }
line({ type: "result", subtype: "success", is_error: false, result: "sum.mjs subtracted. It adds now.", usage })
