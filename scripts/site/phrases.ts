/**
 * Words in which beginners ask for a page or a part of one, where the page itself has other words. The search of the site
 * knows them. New phrases belong here when somebody has looked for something and not found it.
 */
export const asked: Readonly<Record<string, ReadonlyArray<string>>> = {
  "five-minutes": [
    "get started, getting started, quick start, hello world, first program",
    "install, setup, npm, download",
    "run it without a key, free"
  ],
  "what-it-is": [
    "why should I use it, is it for me, when not to use it, limits, alternatives",
    "voice, phone calls, speech",
    "RAG, vector search, embeddings"
  ],
  comparison: ["difference, versus, compared to LangGraph, LangChain, Mastra, Rasa, AI SDK, alternatives"],
  roadmap: ["what is planned, future"],
  changelog: ["what is new, breaking changes, upgrade, new version"],
  "tutorial/1-first-agent": [
    "get started, getting started, tutorial for beginners, hello world, first agent, first bot, chatbot example",
    "create an agent, make a bot, ask for a name"
  ],
  "tutorial/2-tools": ["call my own code, function calling, tutorial of tools, use an API, provide a service"],
  "tutorial/3-sessions-on-disk": ["remember the conversation after a restart, keep it on disk, sqlite file"],
  "tutorial/4-approval": ["a manager must approve, ask the boss first"],
  "tutorial/5-streaming-and-tests": ["write a unit test, show words while they come, use a real model"],
  modelling: [
    "how do I design an agent, best practices, structure a bot, where do I begin, common mistakes, pitfalls",
    "who is logged in, signed in user",
    "logged in"
  ],
  "modelling#when-a-conversation-went-wrong": [
    "debug, wrong answer, wrong flow, why did it say that, it does not understand, troubleshooting"
  ],
  turn: ["what happens with a message, how it works inside, order of phases, life cycle"],
  directives: [
    "move to another step, jump, go to a flow, end the conversation from code, restart the flow, start over, goodbye with exact words"
  ],
  understanding: [
    "extract values, entities, slots, slot filling, intent, intents, classify a message, recognise what the user wants"
  ],
  "understanding#what-only-code-writes": ["the user must not set a value, protect a field, read-only field"],
  "understanding#fields-of-more-than-one-value": ["list of things, array, several items"],
  sessions: [
    "state of a conversation, history of messages, user id, session id, multi user, many users",
    "get the collected data, read the values, result of a conversation",
    "multiple users at the same time, concurrent, parallel conversations"
  ],
  "sessions#going-back": [
    "undo the last message, edit a message, rewind, go back in the conversation, fork, copy a conversation, restart the conversation"
  ],
  "sessions#the-agent-speaks-first": [
    "greeting, welcome message, greet the user, the bot starts the conversation, proactive message"
  ],
  errors: ["error handling, exception, catch a failure, what can go wrong, timeout of a turn"],
  flows: [
    "what is a flow, what is a step, conversation steps, dialog, dialogue, skip a question, optional question, required questions",
    "ask for the name, ask a question"
  ],
  "flows#branches": ["if else, condition, go to another step, decide, fork, route"],
  "flows#how-a-flow-ends": ["end a flow, finish, when is a step over, when is it complete, done"],
  "flows#hooks": ["run code when a step begins, callback, before and after a step, on enter, side effect"],
  "flows#re-entry-and-interruption": [
    "run the flow again, repeat a flow, second booking, interrupt",
    "two bookings in one conversation, book again, a second time"
  ],
  prompts: [
    "change the system prompt, tone, persona, personality, style, what is sent to the model, temperature, instructions",
    "stop the model from making things up, hallucination, invent, stay on topic",
    "how prompts are built, prompt template, see the prompt"
  ],
  forms: [
    "show a form, buttons, choices, options, quick replies, drop-down, date picker, select from a list, chips, validation of an email address"
  ],
  tools: [
    "call a function, call an API, my own API, function calling, use my code, HTTP request, fetch, action",
    "time limit of a call, timeout, retry"
  ],
  "tools#calls-that-a-flow-makes": ["call a tool in a step, look up in a step, always call, deterministic call"],
  "tools#which-tools-are-offered": ["only allow some tools, force a tool, limit the number of calls"],
  policies: [
    "rules for tools, how often may a tool be called, rate limit a tool, spending limit, business rules, permission, not twice"
  ],
  origins: ["prompt injection, attack, untrusted text, malicious mail, exfiltration, jailbreak"],
  approvals: [
    "a manager has to approve, human in the loop, wait for approval, ask the boss, four eyes, admin, review before it is sent"
  ],
  confirmation: [
    "ask the customer before paying, are you sure, ask before it is done, ask for a yes, confirm before sending, confirm an order, double check, permission of the user, agree, consent, before deleting, before booking"
  ],
  "confirmation#what-counts-as-a-yes": ["what is a yes, user says yes, ok, sure, go ahead"],
  "hand-over": [
    "talk to a person, talk to a human, real person, live agent, hand off, handover, support staff, escalate, employee, call centre, take over"
  ],
  guardrails: [
    "moderation, block bad words, swear words, insults, profanity, filter, censor, off topic, forbidden words, jailbreak, hide personal data, PII, stop the model from making things up"
  ],
  messages: ["send a picture, image, photo, upload a file, PDF, attachment, voice message, document"],
  language: [
    "speak German, French, Spanish, translate, translation, two languages, several languages, multilingual, i18n, locale, another language, translate the answers, translated texts"
  ],
  signals: ["notice something, detect, angry customer, watch for words, mood, sentiment, trigger"],
  events: ["webhook, callback from outside, payment arrived, notify, push, external event"],
  "events#timers": [
    "remind the user tomorrow, reminder, later, after an hour, timer, schedule, delay, cron, every day, wait for some time, user does not answer"
  ],
  streaming: [
    "stream tokens, words as they come, typing, server-sent events, show the answer while it is written",
    "stop button, abort an answer, interrupt"
  ],
  persistence: [
    "save conversations in a database, store conversations, keep chats, remember after restart, SQL",
    "lost after a restart"
  ],
  "persistence#retention": ["delete old conversations, delete data after some days, expire, GDPR"],
  "persistence#encryption": ["encrypt conversations, secret, protect stored data"],
  "persistence#sessions-of-older-versions": [
    "change the schema, add a field later, migration of data, upgrade, rename a field"
  ],
  "persistence#when-a-process-dies": ["crash, restart of the server, power failure, killed, exactly once"],
  compaction: ["long conversation, history too long, context window, too many tokens, summarise, summarize, memory"],
  models: [
    "OpenAI, GPT, Claude, Anthropic, Gemini, Mistral, which model, choose a model, change the model, API key, model provider"
  ],
  "models#usage-cost-and-budgets": [
    "how much does it cost, price, cost of tokens, token usage, budget, spending limit, cheap, expensive"
  ],
  "models#failures": ["retry when the model fails, rate limit, 429, timeout of the model, model is down, fallback"],
  "models#several-models": ["fallback model, second model, cheaper model, different model for a step"],
  "local-models": ["Ollama, llama.cpp, run locally, own computer, without the cloud, private, offline model, GPU"],
  offline: ["run without an API key, without a model, without internet, for free, no key, rules instead of a model"],
  applications: [
    "use it in my app, Express, Next.js, NestJS, Hono, Promises, async await, without Effect, integrate, Slack, WhatsApp, Telegram, Discord, Teams, bot on a messenger"
  ],
  "applications#what-the-compiler-says": [
    "type error, TypeScript error, compiler error, red underline in the editor, VS Code, vscode, autocompletion"
  ],
  "applications#as-a-service": ["dependency injection, layer, Effect service"],
  page: [
    "user interface, UI, chat window, why did it answer so, explain, debug, developer tools, see conversations, dashboard, admin",
    "see what the agent is doing, look inside"
  ],
  "page#in-a-page-of-yours": ["put it on my website, embed, widget, iframe"],
  serving: [
    "put it on a server, web server, HTTP server, REST API, put it on my website, host, endpoint, backend, port"
  ],
  "serving#options": [
    "login, log in users, sign in, authentication, API key of my server, CORS, who may talk, limit requests"
  ],
  "clients/http": ["fetch from a browser, curl, REST, frontend without a library, mobile app, Python client"],
  "clients/ai-sdk": ["useChat, Next.js, React, Vue, Svelte, frontend, Vercel"],
  "clients/ag-ui": ["CopilotKit, AG-UI"],
  "clients/openai": ["OpenAI compatible, Open WebUI, LibreChat, chat completions endpoint"],
  deployment: [
    "deploy, production, Docker, Kubernetes, nginx, reverse proxy, scale, hosting, Cloudflare, Vercel, serverless, AWS"
  ],
  cluster: ["several servers, scale out, load balancer, horizontal scaling, many machines"],
  checking: [
    "validate a definition, find mistakes, lint, dead ends, unreachable step, is my agent right, loop without end, stuck",
    "asks the same question again and again, endless loop, goes round in circles"
  ],
  graph: ["draw a diagram, flow chart, Mermaid, visualise, visualize, picture of the flows"],
  documents: ["YAML, JSON, no code, low code, without TypeScript, config file, editor"],
  cli: ["command line, terminal, coxswain command, new project, run in a shell, options of the command"],
  observability: ["log, logging, trace, metrics, monitor, OpenTelemetry, Grafana, Sentry, Langfuse, analytics"],
  security: [
    "is it safe, privacy, GDPR, personal data, authentication, login, who is the user, other users must not see it, delete a user's data, erase, right to be forgotten"
  ],
  testing: ["test, unit test, mock the model, fake model, simulate users, CI, evaluate, evaluation, evals, quality"],
  replay: [
    "record a conversation, run it again, regression test, why did it say that, reproduce a bug, debug production"
  ],
  jobs: [
    "long running task, background work, queue, worker, takes minutes, asynchronous, do it later, send a mail afterwards"
  ],
  delegation: [
    "multiple agents, several agents, sub agent, subagent, multi-agent, swarm, orchestrate, another agent, Claude Code, Codex"
  ],
  mcp: ["model context protocol, MCP server, MCP tools, Claude Desktop, Cursor"],
  examples: ["sample code, example project, demo"],
  "skill/SKILL": ["Cursor, Copilot, Claude Code, coding assistant, write an agent with AI"],
  "recipes/correction": [
    "change the day, change the date, change an answer, wrong value, typo, edit, update what was said, user changes his mind, correct a mistake, I meant something else"
  ],
  "recipes/correction#go-back-and-ask-again": ["previous question, step back, back button, ask once more"],
  "recipes/correction#forget-a-value-when-another-changes": [
    "look again when the date changes, price is out of date, depends on another value, recompute"
  ],
  "recipes/cancellation": [
    "cancel, stop, forget it, never mind, quit, exit, leave, say goodbye, bye, cancel anywhere, cancel an order, I don't want it any more",
    "stop the conversation"
  ],
  "recipes/clarification": [
    "ambiguous, unclear message, which one do you mean, disambiguate, ask back, did you mean, it does not understand"
  ],
  "recipes/digression": [
    "question in the middle, off topic, FAQ in between, interruption, come back to the booking, side question, small talk, chit-chat"
  ],
  "recipes/digression#two-wishes-in-one-message": ["two things at once, several requests, multiple intents"],
  "recipes/digression#nothing-comes-in-between": ["do not interrupt, lock the flow, no other topic"],
  "recipes/refusal": ["user does not want to say, I don't know, no preference, any, skip a question, optional answer"],
  "recipes/repetition": ["repeat the question, say it again, pardon, I did not understand you"],
  "recipes/silence": [
    "user does not answer, no answer, inactive, idle, timeout of a conversation, follow up, nudge, remind the user tomorrow, reminder, nobody replies"
  ],
  "recipes/values": [
    "collect an email address, phone number, date, validation, check an answer, invalid answer, number between, required answer, yes or no question, list of items"
  ],
  "recipes/values#several-values-from-one-message": [
    "ask two questions at once, several answers in one message, more than one field"
  ],
  "recipes/values#refuse-a-value": [
    "email address validation, invalid date, date in the past, wrong number, error message of a field, minimum, maximum"
  ],
  "recipes/values#answers-as-buttons": ["show buttons, quick replies, options to click, choose from a list"],
  "recipes/values#what-is-known-is-not-asked": [
    "do not ask again, prefill, default value, user profile, already known"
  ],
  "recipes/values#read-values-back": [
    "summary before booking, repeat what was understood, is that right, ask the customer before paying, check the order"
  ],
  "recipes/values#a-list-that-grows": [
    "shopping cart, order of several items, add to the list, remove from the list, basket"
  ],
  "recipes/booking": [
    "look up availability, check what is free, offer alternatives, offer rooms, select one of the results, reserve, appointment"
  ],
  words: [
    "when is a step over, difference between until and ends, stays, neverCompletes, isComplete, which option, goTo or goToStep"
  ],
  "recipes/deciding": ["if else, condition, decide, different question for some users, VIP, branch"],
  "recipes/deciding#a-command": ["slash command, keyword, exact word, /help, reset command"],
  "recipes/deciding#stay-until-something-has-happened": ["wait until, stay in a step, loop, keep asking"],
  "recipes/saying": [
    "exact words, fixed text, template, canned answer, legal text, FAQ, answer questions from documents, knowledge base, opening hours"
  ],
  "recipes/saying#answers-from-a-text": [
    "answer questions from documents, FAQ, knowledge base, RAG, manual, terms and conditions"
  ],
  "recipes/saying#in-the-users-language": ["speak German, two languages, translate"],
  "recipes/doing": [
    "call my API, database, use my own function, book something, only admins, who may do it, send an email, angry customer, double click"
  ],
  "recipes/doing#my-database-in-a-hook": [
    "query my database, SQL in a step, look up a price, Effect service, repository"
  ],
  "recipes/doing#only-some-may-use-it": ["only admins can do this, role, permission, logged in users"],
  "recipes/doing#notice-something": ["angry customer, swear words, complaint, detect"],
  "recipes/doing#card-numbers-never-stored": ["credit card, PII, personal data, mask, redact, hide"],
  "recipes/doing#sent-twice-done-once": ["double click, duplicate message, retry, idempotent, booked twice"],
  "migration/langgraph": ["LangChain, switch from LangGraph"],
  "migration/rasa": ["switch from Rasa, stories, domain.yml"],
  "migration/agent-builder": ["OpenAI Agent Builder, AgentKit"],
  "migration/ai-sdk": ["switch from the Vercel AI SDK"]
}
