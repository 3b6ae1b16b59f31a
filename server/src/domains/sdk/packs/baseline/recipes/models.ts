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
    name: "Leads are scored, and good ones told of",
    description: "From 0 to 100, with a reason",
    trigger: form("Talk to us", "name", "email", "message"),
    nodes: [
      ask(
        "score",
        "You score leads of a software company from 0 to 100.",
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
        "tell",
        "{{ trigger.input.name }} ({{ steps.score.output.object.score }}): {{ steps.score.output.object.reason }}",
        "#sales",
      ),
    ],
    edges: [
      { from: "score", to: "is-good" },
      { from: "is-good", to: "tell", when: "true" },
    ],
  }),
  recipe("mail-sort", {
    name: "Mails are sorted to the right team",
    description: "Send { from, subject, text } to the webhook",
    trigger: webhook,
    nodes: [
      ask(
        "sort",
        "You sort mails to a company.",
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
        "Mail of {{ trigger.input.body.from }}: {{ trigger.input.body.subject }}",
        "#sales",
      ),
      tellSlack(
        "support",
        "Mail of {{ trigger.input.body.from }}: {{ trigger.input.body.subject }}",
        "#support",
      ),
      tellSlack("other", "Mail of {{ trigger.input.body.from }}: {{ trigger.input.body.subject }}"),
    ],
    edges: [
      { from: "sort", to: "team" },
      { from: "team", to: "sales", when: "sales" },
      { from: "team", to: "support", when: "support" },
      { from: "team", to: "other", when: "default" },
    ],
  }),
  recipe("issue-labels", {
    name: "Issues on GitHub get their labels",
    description: "Enter the webhook at the repository, for issues",
    trigger: webhook,
    nodes: [
      {
        id: "is-new",
        type: "condition",
        config: { expression: "trigger.input.body.action = 'opened'" },
      },
      ask(
        "label",
        "You choose labels for issues.",
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
    name: "The mood of feedback, in a sheet",
    description: "Send { text } to the webhook",
    trigger: webhook,
    nodes: [
      ask("judge", "You judge the mood of feedback.", "{{ trigger.input.body.text }}", {
        mood: { enum: ["good", "neutral", "bad"] },
        topic: { type: "string" },
      }),
      addRow("keep", [
        "{{ trigger.input.body.text }}",
        "{{ steps.judge.output.object.mood }}",
        "{{ steps.judge.output.object.topic }}",
      ]),
    ],
  }),
  recipe("page-summary", {
    name: "A summary of a page, for whoever asks",
    description: "Send { url } to the webhook",
    trigger: webhook,
    nodes: [
      {
        id: "page",
        type: "http",
        config: { url: "{{ trigger.input.body.url }}", response: "data", redirects: 5 },
      },
      ask("summary", "You summarize pages in three sentences.", "{{ steps.page.output.body }}"),
      {
        id: "answer",
        type: "respond",
        config: { body: { summary: "{{ steps.summary.output.text }}" } },
      },
    ],
  }),
  recipe("feed-to-telegram", {
    name: "Entries of a feed, in one sentence each",
    description: "Change the address of the feed",
    trigger: { type: "rss", feedUrl: "https://example.com/feed.xml" },
    nodes: [
      ask(
        "sentence",
        "You tell what an article is about, in one sentence.",
        "{{ trigger.input.title }}\n\n{{ trigger.input.summary }}",
      ),
      tellTelegram(
        "tell",
        "YOUR-CHAT",
        "{{ steps.sentence.output.text }}\n{{ trigger.input.link }}",
      ),
    ],
  }),
  recipe("translation", {
    name: "A translation, for whoever asks",
    description: "Send { text, language } to the webhook",
    trigger: webhook,
    nodes: [
      ask(
        "translate",
        "You translate, and add nothing.",
        "Into {{ trigger.input.body.language }}:\n{{ trigger.input.body.text }}",
      ),
      {
        id: "answer",
        type: "respond",
        config: { body: { text: "{{ steps.translate.output.text }}" } },
      },
    ],
  }),
  recipe("drafts-to-notion", {
    name: "Drafts of posts on a topic, in Notion",
    description: "Start it with { topic }",
    trigger: byHand,
    nodes: [
      ask("write", "You write short posts.", "Three posts about {{ trigger.input.topic }}", {
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
    name: "A chat that answers questions about you",
    description: "Write what it should know into the first step",
    trigger: { type: "chat", title: "Ask us" },
    nodes: [
      {
        id: "facts",
        type: "set",
        config: { values: { text: "We are open from nine to five. We sell bicycles." } },
      },
      ask(
        "answer",
        "You answer by these facts alone: {{ steps.facts.output.text }}",
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
    name: "The data of an invoice, in a sheet",
    description: "Send { text } of an invoice to the webhook",
    trigger: webhook,
    nodes: [
      ask("read", "You read invoices.", "{{ trigger.input.body.text }}", {
        number: { type: "string" },
        vendor: { type: "string" },
        total: { type: "number" },
      }),
      addRow("keep", [
        "{{ steps.read.output.object.number }}",
        "{{ steps.read.output.object.vendor }}",
        "{{ steps.read.output.object.total }}",
      ]),
    ],
  }),
];
