/** Recipes that use a language model. */
import {
  addRow,
  ask,
  byHand,
  call,
  forEach,
  form,
  recipe,
  tellSlack,
  tellTelegram,
  webhook,
} from "./recipe.ts";

export const models = [
  recipe("lead-score", {
    name: "Score leads and notify about good ones",
    description: "Scores from 0 to 100, with a reason",
    trigger: form("Contact us", "name", "email", "message"),
    nodes: [
      ask(
        "score",
        "Score the lead of a software company from 0 to 100.",
        "{{ trigger.input.message }}",
        {
          score: { type: "integer" },
          reason: { type: "string" },
        },
      ),
      {
        id: "is-good",
        type: "condition",
        config: { expression: "steps.score.output.object.score >= 70" },
      },
      tellSlack(
        "notify",
        "{{ trigger.input.name }} ({{ steps.score.output.object.score }}): {{ steps.score.output.object.reason }}",
        "#sales",
      ),
    ],
    edges: [
      { from: "score", to: "is-good" },
      { from: "is-good", to: "notify", when: "true" },
    ],
  }),
  recipe("mail-sort", {
    name: "Route e-mails to teams",
    description: "Send { from, subject, text } to the webhook",
    trigger: webhook,
    nodes: [
      ask(
        "sort",
        "Classify e-mails that are sent to a company.",
        "{{ trigger.input.body.subject }}\n\n{{ trigger.input.body.text }}",
        { team: { enum: ["sales", "support", "other"] } },
      ),
      {
        id: "team",
        type: "switch",
        config: { expression: "steps.sort.output.object.team", cases: ["sales", "support"] },
      },
      tellSlack(
        "sales",
        "E-mail from {{ trigger.input.body.from }}: {{ trigger.input.body.subject }}",
        "#sales",
      ),
      tellSlack(
        "support",
        "E-mail from {{ trigger.input.body.from }}: {{ trigger.input.body.subject }}",
        "#support",
      ),
      tellSlack(
        "other",
        "E-mail from {{ trigger.input.body.from }}: {{ trigger.input.body.subject }}",
      ),
    ],
    edges: [
      { from: "sort", to: "team" },
      { from: "team", to: "sales", when: "sales" },
      { from: "team", to: "support", when: "support" },
      { from: "team", to: "other", when: "default" },
    ],
  }),
  recipe("issue-labels", {
    name: "Label GitHub issues",
    description: "Add the webhook URL in the repository for issues",
    trigger: webhook,
    nodes: [
      {
        id: "is-new",
        type: "condition",
        config: { expression: "trigger.input.body.action = 'opened'" },
      },
      ask(
        "label",
        "Select labels for the issue.",
        "{{ trigger.input.body.issue.title }}\n\n{{ trigger.input.body.issue.body }}",
        { labels: { type: "array", items: { enum: ["bug", "idea", "question"] } } },
      ),
      call("set", "github", "POST /", {
        path: "/repos/{{ trigger.input.body.repository.full_name }}/issues/{{ trigger.input.body.issue.number }}/labels",
        body: { labels: "{{ steps.label.output.object.labels }}" },
      }),
    ],
    edges: [
      { from: "is-new", to: "label", when: "true" },
      { from: "label", to: "set" },
    ],
  }),
  recipe("feedback-mood", {
    name: "Analyze the sentiment of feedback",
    description: "Send { text } to the webhook",
    trigger: webhook,
    nodes: [
      ask("classify", "Classify the sentiment of the feedback.", "{{ trigger.input.body.text }}", {
        mood: { enum: ["good", "neutral", "bad"] },
        topic: { type: "string" },
      }),
      addRow("add-row", [
        "{{ trigger.input.body.text }}",
        "{{ steps.classify.output.object.mood }}",
        "{{ steps.classify.output.object.topic }}",
      ]),
    ],
  }),
  recipe("page-summary", {
    name: "Summarize a web page by webhook",
    description: "Send { url } to the webhook",
    trigger: webhook,
    nodes: [
      {
        id: "page",
        type: "http",
        config: { url: "{{ trigger.input.body.url }}", response: "data", redirects: 5 },
      },
      ask("summary", "Summarize the page in three sentences.", "{{ steps.page.output.body }}"),
      {
        id: "answer",
        type: "respond",
        config: { body: { summary: "{{ steps.summary.output.text }}" } },
      },
    ],
  }),
  recipe("feed-to-telegram", {
    name: "Summarize entries of an RSS feed",
    description: "Set the URL of the feed in the trigger",
    trigger: { type: "rss", feedUrl: "https://example.com/feed.xml" },
    nodes: [
      ask(
        "sentence",
        "Summarize the article in one sentence.",
        "{{ trigger.input.title }}\n\n{{ trigger.input.summary }}",
      ),
      tellTelegram(
        "notify",
        "YOUR-CHAT",
        "{{ steps.sentence.output.text }}\n{{ trigger.input.link }}",
      ),
    ],
  }),
  recipe("translation", {
    name: "Translate a text by webhook",
    description: "Send { text, language } to the webhook",
    trigger: webhook,
    nodes: [
      ask(
        "translate",
        "Return only the translation.",
        "Translate into {{ trigger.input.body.language }}:\n{{ trigger.input.body.text }}",
      ),
      {
        id: "answer",
        type: "respond",
        config: { body: { text: "{{ steps.translate.output.text }}" } },
      },
    ],
  }),
  recipe("drafts-to-notion", {
    name: "Create drafts of posts in Notion",
    description: "Run it with the input { topic }",
    trigger: byHand,
    nodes: [
      ask("write", "Write short posts.", "Three posts about {{ trigger.input.topic }}", {
        posts: { type: "array", items: { type: "string" } },
      }),
      forEach(
        "{{ steps.write.output.object.posts }}",
        call("page", "notion", "POST /pages", {
          headers: { "notion-version": "2022-06-28" },
          body: {
            parent: { database_id: "YOUR-DATABASE" },
            properties: { Name: { title: [{ text: { content: "{{ item }}" } }] } },
          },
        }),
      ),
    ],
  }),
  recipe("chat-about-us", {
    name: "Chat that answers questions about your company",
    description: "Enter the facts in the first step",
    trigger: { type: "chat", title: "Ask us" },
    nodes: [
      {
        id: "facts",
        type: "set",
        config: { values: { text: "We are open from nine to five. We sell bicycles." } },
      },
      ask(
        "answer",
        "Use only these facts for the answer: {{ steps.facts.output.text }}",
        "{{ trigger.input.message }}",
      ),
      {
        id: "reply",
        type: "respond",
        config: { body: { text: "{{ steps.answer.output.text }}" } },
      },
    ],
  }),
  recipe("invoice-data", {
    name: "Extract invoice data to a spreadsheet",
    description: "Send { text } of an invoice to the webhook",
    trigger: webhook,
    nodes: [
      ask("read", "Extract the data of the invoice.", "{{ trigger.input.body.text }}", {
        number: { type: "string" },
        vendor: { type: "string" },
        total: { type: "number" },
      }),
      addRow("add-row", [
        "{{ steps.read.output.object.number }}",
        "{{ steps.read.output.object.vendor }}",
        "{{ steps.read.output.object.total }}",
      ]),
    ],
  }),
];
