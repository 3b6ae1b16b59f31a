/** Recipes that send messages. */
import {
  addRow,
  ask,
  byHand,
  call,
  daily,
  form,
  recipe,
  tellSlack,
  tellTelegram,
  webhook,
} from "./recipe.ts";

export const messages = [
  recipe("webhook-to-slack", {
    name: "Post a webhook request to Slack",
    description: "Send { title, text } to the webhook",
    trigger: webhook,
    nodes: [tellSlack("notify", "*{{ trigger.input.body.title }}*\n{{ trigger.input.body.text }}")],
  }),
  recipe("form-to-sheet-and-slack", {
    name: "Save form submissions in a spreadsheet and notify the team",
    description: "Adds a row and posts to Slack for each submission",
    trigger: form("Contact us", "name", "email", "message"),
    nodes: [
      addRow("add-row", [
        "{{ trigger.input.name }}",
        "{{ trigger.input.email }}",
        "{{ trigger.input.message }}",
      ]),
      tellSlack("notify", "{{ trigger.input.name }} wrote: {{ trigger.input.message }}"),
    ],
  }),
  recipe("telegram-assistant", {
    name: "Telegram bot with a language model",
    description: "Set the webhook URL of the bot with setWebhook",
    trigger: webhook,
    nodes: [
      {
        id: "is-text",
        type: "condition",
        config: { expression: "$exists(trigger.input.body.message.text)" },
      },
      ask("answer", "Answer in at most two sentences.", "{{ trigger.input.body.message.text }}"),
      tellTelegram(
        "send",
        "{{ trigger.input.body.message.chat.id }}",
        "{{ steps.answer.output.text }}",
      ),
    ],
    edges: [
      { from: "is-text", to: "answer", when: "true" },
      { from: "answer", to: "send" },
    ],
  }),
  recipe("release-to-discord", {
    name: "Post GitHub releases to Discord",
    description: "Add the webhook URL in the repository for releases",
    trigger: webhook,
    nodes: [
      {
        id: "is-out",
        type: "condition",
        config: { expression: "trigger.input.body.action = 'published'" },
      },
      call("notify", "discord", "POST /channels/YOUR-CHANNEL/messages", {
        body: {
          content:
            "{{ trigger.input.body.repository.full_name }} {{ trigger.input.body.release.tag_name }} is out",
        },
      }),
    ],
    edges: [{ from: "is-out", to: "notify", when: "true" }],
  }),
  recipe("failure-to-telegram", {
    name: "Send failed runs to Telegram",
    description: "Select it as the error workflow of other workflows",
    trigger: byHand,
    nodes: [
      tellTelegram(
        "notify",
        "YOUR-CHAT",
        "{{ trigger.input.workflow.name }} failed: {{ trigger.input.error.message }}",
      ),
    ],
  }),
  recipe("agenda-to-telegram", {
    name: "Send today's calendar events to Telegram every morning",
    description: "Reads the calendar “primary”",
    trigger: daily(7),
    nodes: [
      call("events", "calendar", "GET /calendars/primary/events", {
        query: {
          timeMin: "{{ $now() }}",
          timeMax: "{{ $fromMillis($toMillis($now()) + 86400000) }}",
          singleEvents: "true",
          orderBy: "startTime",
        },
      }),
      {
        id: "text",
        type: "transform",
        config: {
          expression:
            "$join([steps.events.output.body.items.((start.dateTime ? $substring(start.dateTime, 11, 5) : 'all day') & ' ' & summary)], '\n')",
        },
      },
      tellTelegram("notify", "YOUR-CHAT", "{{ steps.text.output }}"),
    ],
  }),
  recipe("page-watch", {
    name: "Monitor a web page and alert in Slack",
    description: "Checks every five minutes. Set the URL in the first step",
    trigger: { type: "schedule", cron: "*/5 * * * *" },
    nodes: [
      {
        id: "settings",
        type: "set",
        config: {
          values: { url: "{{ trigger.input.url ? trigger.input.url : 'https://example.com' }}" },
        },
      },
      {
        id: "request",
        type: "http",
        config: { url: "{{ steps.settings.output.url }}", failOn: [], redirects: 5 },
      },
      {
        id: "is-down",
        type: "condition",
        config: { expression: "steps.request.output.status >= 400" },
      },
      tellSlack(
        "notify",
        "{{ steps.settings.output.url }} answers {{ steps.request.output.status }}",
        "#alerts",
      ),
    ],
    edges: [
      { from: "settings", to: "request" },
      { from: "request", to: "is-down" },
      { from: "is-down", to: "notify", when: "true" },
    ],
  }),
  recipe("approval-by-link", {
    name: "Approve a request by link in Slack",
    description:
      "The message contains links to approve or reject. The run ends after 24 hours without a decision",
    trigger: form("Request approval", "name", "request"),
    nodes: [
      tellSlack(
        "ask",
        "{{ trigger.input.name }} requests: {{ trigger.input.request }}\nYes: {{ run.resumeUrl }}?approved=true\nNo: {{ run.resumeUrl }}?approved=false",
        "#approvals",
      ),
      { id: "wait", type: "wait_for_call", config: { methods: ["GET"], timeoutMs: 86_400_000 } },
      {
        id: "is-approved",
        type: "condition",
        config: { expression: "steps.wait.output.query.approved = 'true'" },
      },
      tellSlack("approved", "{{ trigger.input.name }}: {{ trigger.input.request }} was approved"),
      tellSlack("rejected", "{{ trigger.input.name }}: {{ trigger.input.request }} was rejected"),
    ],
    edges: [
      { from: "ask", to: "wait" },
      { from: "wait", to: "is-approved" },
      { from: "is-approved", to: "approved", when: "true" },
      { from: "is-approved", to: "rejected", when: "false" },
    ],
  }),
];
