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
    name: "A request becomes a message in Slack",
    description: "Send { title, text } to the webhook",
    trigger: webhook,
    nodes: [tellSlack("tell", "*{{ trigger.input.body.title }}*\n{{ trigger.input.body.text }}")],
  }),
  recipe("form-to-sheet-and-slack", {
    name: "Answers of a form go to a sheet, and the team hears of them",
    description: "A contact form",
    trigger: form("Contact us", "name", "email", "message"),
    nodes: [
      addRow("keep", [
        "{{ trigger.input.name }}",
        "{{ trigger.input.email }}",
        "{{ trigger.input.message }}",
      ]),
      tellSlack("tell", "{{ trigger.input.name }} wrote: {{ trigger.input.message }}"),
    ],
  }),
  recipe("telegram-assistant", {
    name: "A bot of Telegram that answers",
    description: "Set the webhook's address as that of the bot (setWebhook)",
    trigger: webhook,
    nodes: [
      {
        id: "is-text",
        type: "condition",
        config: { expression: "$exists(trigger.input.body.message.text)" },
      },
      ask(
        "answer",
        "You answer in two sentences at most.",
        "{{ trigger.input.body.message.text }}",
      ),
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
    name: "A release on GitHub is told in Discord",
    description: "Enter the webhook at the repository, for releases",
    trigger: webhook,
    nodes: [
      {
        id: "is-out",
        type: "condition",
        config: { expression: "trigger.input.body.action = 'published'" },
      },
      call("tell", "discord", "POST /channels/YOUR-CHANNEL/messages", {
        body: {
          content:
            "{{ trigger.input.body.repository.full_name }} {{ trigger.input.body.release.tag_name }} is out",
        },
      }),
    ],
    edges: [{ from: "is-out", to: "tell", when: "true" }],
  }),
  recipe("failure-to-telegram", {
    name: "A failed run is told in Telegram",
    description: "Name it as the error workflow of others",
    trigger: byHand,
    nodes: [
      tellTelegram(
        "tell",
        "YOUR-CHAT",
        "{{ trigger.input.workflow.name }} failed: {{ trigger.input.error.message }}",
      ),
    ],
  }),
  recipe("agenda-to-telegram", {
    name: "The day's appointments in the morning",
    description: "Of the calendar called primary",
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
      tellTelegram("tell", "YOUR-CHAT", "{{ steps.text.output }}"),
    ],
  }),
  recipe("page-watch", {
    name: "A page that is down is told in Slack",
    description: "Looks every five minutes; change the address in the first step",
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
        id: "look",
        type: "http",
        config: { url: "{{ steps.settings.output.url }}", failOn: [], redirects: 5 },
      },
      {
        id: "is-down",
        type: "condition",
        config: { expression: "steps.look.output.status >= 400" },
      },
      tellSlack(
        "tell",
        "{{ steps.settings.output.url }} answers {{ steps.look.output.status }}",
        "#alerts",
      ),
    ],
    edges: [
      { from: "settings", to: "look" },
      { from: "look", to: "is-down" },
      { from: "is-down", to: "tell", when: "true" },
    ],
  }),
  recipe("approval-by-link", {
    name: "A request that somebody approves by a link",
    description: "The link in the message answers it; without an answer in a day it ends",
    trigger: form("May I?", "name", "request"),
    nodes: [
      tellSlack(
        "ask",
        "{{ trigger.input.name }} asks: {{ trigger.input.request }}\nYes: {{ run.resumeUrl }}?approved=true\nNo: {{ run.resumeUrl }}?approved=false",
        "#approvals",
      ),
      { id: "wait", type: "wait_for_call", config: { methods: ["GET"], timeoutMs: 86_400_000 } },
      {
        id: "is-granted",
        type: "condition",
        config: { expression: "steps.wait.output.query.approved = 'true'" },
      },
      tellSlack("granted", "{{ trigger.input.name }}: {{ trigger.input.request }} was granted"),
      tellSlack("refused", "{{ trigger.input.name }}: {{ trigger.input.request }} was refused"),
    ],
    edges: [
      { from: "ask", to: "wait" },
      { from: "wait", to: "is-granted" },
      { from: "is-granted", to: "granted", when: "true" },
      { from: "is-granted", to: "refused", when: "false" },
    ],
  }),
];
