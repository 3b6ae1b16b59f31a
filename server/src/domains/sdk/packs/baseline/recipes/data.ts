/** Recipes that transfer data between services. */
import {
  addRow,
  byHand,
  call,
  daily,
  forEach,
  form,
  recipe,
  tellSlack,
  webhook,
  weekly,
} from "./recipe.ts";

const READ_ROWS = call("rows", "sheets", "GET /spreadsheets/YOUR-SPREADSHEET/values/A2:C1000");
/** The rows of a sheet as objects. */
const PEOPLE = {
  id: "people",
  type: "transform",
  config: {
    expression: "[steps.rows.output.body.values.{ 'name': $[0], 'email': $[1], 'note': $[2] }]",
  },
};

export const data = [
  recipe("webhook-to-sheet", {
    name: "A request becomes a row of a sheet",
    description: "Send { name, value } to the webhook",
    trigger: webhook,
    nodes: [
      addRow("keep", [
        "{{ $now() }}",
        "{{ trigger.input.body.name }}",
        "{{ trigger.input.body.value }}",
      ]),
    ],
  }),
  recipe("sheet-to-mails", {
    name: "A mail to everybody in a sheet",
    description: "Columns: name, email, note",
    trigger: byHand,
    nodes: [
      READ_ROWS,
      {
        id: "mails",
        type: "script",
        config: {
          source: `return (input.steps.rows.output.body.values ?? []).map(([name, email, note]) => {
  const line = (text) => String(text ?? "").replaceAll(/[\\r\\n]+/g, " ");
  const mail = ["To: " + line(email), "Subject: For " + line(name), "Content-Type: text/plain; charset=UTF-8", "", String(note ?? "")].join("\\r\\n");
  return { raw: Buffer.from(mail, "utf8").toString("base64url") };
});`,
        },
      },
      forEach(
        "{{ steps.mails.output }}",
        call("send", "gmail", "POST /users/me/messages/send", { body: "{{ item }}" }),
      ),
    ],
  }),
  recipe("sheet-to-notion", {
    name: "Rows of a sheet become pages of Notion",
    description: "Columns: name, email, note",
    trigger: byHand,
    nodes: [
      READ_ROWS,
      PEOPLE,
      forEach(
        "{{ steps.people.output }}",
        call("page", "notion", "POST /pages", {
          headers: { "notion-version": "2022-06-28" },
          body: {
            parent: { database_id: "YOUR-DATABASE" },
            properties: { Name: { title: [{ text: { content: "{{ item.name }}" } }] } },
          },
        }),
      ),
    ],
  }),
  recipe("airtable-to-slack", {
    name: "What is open in Airtable, every morning",
    description: "Records whose Status is Open",
    trigger: daily(8),
    nodes: [
      call("records", "airtable", "GET /YOUR-BASE/Tasks", {
        query: { filterByFormula: "{Status}='Open'" },
      }),
      {
        id: "text",
        type: "transform",
        config: {
          expression:
            "$count(steps.records.output.body.records) & ' open: ' & $join([steps.records.output.body.records.fields.Name], ', ')",
        },
      },
      tellSlack("tell", "{{ steps.text.output }}"),
    ],
  }),
  recipe("lead-to-hubspot", {
    name: "A lead is made in HubSpot, or brought up to date",
    description: "By the address of its mail",
    trigger: form("Talk to us", "name", "email", "company"),
    nodes: [
      call("find", "hubspot", "POST /crm/v3/objects/contacts/search", {
        body: {
          filterGroups: [
            {
              filters: [
                { propertyName: "email", operator: "EQ", value: "{{ trigger.input.email }}" },
              ],
            },
          ],
        },
      }),
      {
        id: "is-known",
        type: "condition",
        config: { expression: "steps.find.output.body.total > 0" },
      },
      call(
        "update",
        "hubspot",
        "PATCH /crm/v3/objects/contacts/{{ steps.find.output.body.results[0].id }}",
        {
          path: "/crm/v3/objects/contacts/{{ steps.find.output.body.results[0].id }}",
          body: { properties: { company: "{{ trigger.input.company }}" } },
        },
      ),
      call("create", "hubspot", "POST /crm/v3/objects/contacts", {
        body: {
          properties: {
            email: "{{ trigger.input.email }}",
            firstname: "{{ trigger.input.name }}",
            company: "{{ trigger.input.company }}",
          },
        },
      }),
    ],
    edges: [
      { from: "find", to: "is-known" },
      { from: "is-known", to: "update", when: "true" },
      { from: "is-known", to: "create", when: "false" },
    ],
  }),
  recipe("payment-to-sheet", {
    name: "Payments of Stripe in a sheet",
    description: "Enter the webhook at Stripe, for payment_intent.succeeded",
    trigger: { ...webhook, dedupe: { key: "input.body.id" } },
    nodes: [
      addRow("keep", [
        "{{ trigger.input.body.data.object.id }}",
        "{{ trigger.input.body.data.object.amount / 100 }}",
        "{{ trigger.input.body.data.object.currency }}",
      ]),
    ],
  }),
  recipe("order-to-slack-and-sheet", {
    name: "An order of Shopify is told and kept",
    description: "Enter the webhook at Shopify, for orders/create",
    trigger: { ...webhook, dedupe: { key: "input.body.id" } },
    nodes: [
      addRow("keep", ["{{ trigger.input.body.name }}", "{{ trigger.input.body.total_price }}"]),
      tellSlack(
        "tell",
        "Order {{ trigger.input.body.name }} over {{ trigger.input.body.total_price }}: {{ $join([trigger.input.body.line_items.title], ', ') }}",
        "#orders",
      ),
    ],
  }),
  recipe("deal-won-to-slack", {
    name: "A deal that is won is told in Slack",
    description: "Send HubSpot's change of a deal to the webhook",
    trigger: webhook,
    nodes: [
      {
        id: "is-won",
        type: "condition",
        config: { expression: "trigger.input.body.propertyValue = 'closedwon'" },
      },
      call("deal", "hubspot", "GET /crm/v3/objects/deals/", {
        path: "/crm/v3/objects/deals/{{ trigger.input.body.objectId }}",
      }),
      tellSlack(
        "tell",
        "Won: {{ steps.deal.output.body.properties.dealname }} ({{ steps.deal.output.body.properties.amount }})",
        "#sales",
      ),
    ],
    edges: [
      { from: "is-won", to: "deal", when: "true" },
      { from: "deal", to: "tell" },
    ],
  }),
  recipe("form-to-jira", {
    name: "A form becomes an issue of Jira",
    description: "Of the project DESK",
    trigger: form("Report a fault", "summary", "details"),
    nodes: [
      call("issue", "jira", "POST /issue", {
        body: {
          fields: {
            project: { key: "DESK" },
            issuetype: { name: "Task" },
            summary: "{{ trigger.input.summary }}",
            description: {
              type: "doc",
              version: 1,
              content: [
                {
                  type: "paragraph",
                  content: [{ type: "text", text: "{{ trigger.input.details }}" }],
                },
              ],
            },
          },
        },
      }),
    ],
  }),
  recipe("stars-to-sheet", {
    name: "The stars of a repository, week by week",
    description: "One row each Monday",
    trigger: weekly(6),
    nodes: [
      call("repository", "github", "GET /repos/YOUR-OWNER/YOUR-REPOSITORY"),
      addRow("keep", [
        "{{ $now() }}",
        "{{ steps.repository.output.body.stargazers_count }}",
        "{{ steps.repository.output.body.open_issues_count }}",
      ]),
    ],
  }),
  recipe("new-files-to-sheet", {
    name: "The files of a folder in a sheet",
    description: "Those of the last day, every morning",
    trigger: daily(6),
    nodes: [
      call("files", "drive", "GET /files", {
        query: {
          q: "'YOUR-FOLDER' in parents and modifiedTime > '{{ $fromMillis($toMillis($now()) - 86400000) }}'",
          fields: "files(id,name,webViewLink)",
        },
      }),
      {
        id: "rows",
        type: "transform",
        config: {
          expression: "[steps.files.output.body.files.[[name, webViewLink]]]",
        },
      },
      call("keep", "sheets", "POST /spreadsheets/YOUR-SPREADSHEET/values/A1:append", {
        query: { valueInputOption: "USER_ENTERED" },
        body: { values: "{{ steps.rows.output }}" },
      }),
    ],
  }),
  recipe("onboarding-cards", {
    name: "Cards for the first day of somebody new",
    description: "One for each thing to do",
    trigger: form("Somebody new", "name"),
    nodes: [
      {
        id: "things",
        type: "set",
        config: { values: { list: ["Laptop", "Accounts", "Lunch"] } },
      },
      forEach(
        "{{ steps.things.output.list }}",
        call("card", "trello", "POST /cards", {
          body: { idList: "YOUR-LIST", name: "{{ item }} for {{ trigger.input.name }}" },
        }),
      ),
      tellSlack("tell", "{{ trigger.input.name }} starts soon"),
    ],
  }),
];
