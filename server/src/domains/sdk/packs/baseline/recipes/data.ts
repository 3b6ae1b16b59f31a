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
    name: "Add a webhook request to a spreadsheet",
    description: "Send { name, value } to the webhook",
    trigger: webhook,
    nodes: [
      addRow("add-row", [
        "{{ $now() }}",
        "{{ trigger.input.body.name }}",
        "{{ trigger.input.body.value }}",
      ]),
    ],
  }),
  recipe("sheet-to-mails", {
    name: "Send an e-mail to each person in a spreadsheet",
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
    name: "Create Notion pages from spreadsheet rows",
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
    name: "Send open Airtable tasks to Slack every morning",
    description: "Lists records with Status “Open”",
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
      tellSlack("notify", "{{ steps.text.output }}"),
    ],
  }),
  recipe("lead-to-hubspot", {
    name: "Create or update a HubSpot contact",
    description: "Finds the contact by e-mail address",
    trigger: form("Contact us", "name", "email", "company"),
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
    name: "Add Stripe payments to a spreadsheet",
    description: "Add the webhook URL in Stripe for payment_intent.succeeded",
    trigger: { ...webhook, dedupe: { key: "input.body.id" } },
    nodes: [
      addRow("add-row", [
        "{{ trigger.input.body.data.object.id }}",
        "{{ trigger.input.body.data.object.amount / 100 }}",
        "{{ trigger.input.body.data.object.currency }}",
      ]),
    ],
  }),
  recipe("order-to-slack-and-sheet", {
    name: "Post Shopify orders to Slack and a spreadsheet",
    description: "Add the webhook URL in Shopify for orders/create",
    trigger: { ...webhook, dedupe: { key: "input.body.id" } },
    nodes: [
      addRow("add-row", ["{{ trigger.input.body.name }}", "{{ trigger.input.body.total_price }}"]),
      tellSlack(
        "notify",
        "Order {{ trigger.input.body.name }} over {{ trigger.input.body.total_price }}: {{ $join([trigger.input.body.line_items.title], ', ') }}",
        "#orders",
      ),
    ],
  }),
  recipe("deal-won-to-slack", {
    name: "Post won HubSpot deals to Slack",
    description: "Add the webhook URL in HubSpot for deal changes",
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
        "notify",
        "Won: {{ steps.deal.output.body.properties.dealname }} ({{ steps.deal.output.body.properties.amount }})",
        "#sales",
      ),
    ],
    edges: [
      { from: "is-won", to: "deal", when: "true" },
      { from: "deal", to: "notify" },
    ],
  }),
  recipe("form-to-jira", {
    name: "Create a Jira issue from a form",
    description: "Creates issues in the project DESK",
    trigger: form("Report a problem", "summary", "details"),
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
    name: "Record the stars of a repository every week",
    description: "Adds a row to a spreadsheet every Monday",
    trigger: weekly(6),
    nodes: [
      call("repository", "github", "GET /repos/YOUR-OWNER/YOUR-REPOSITORY"),
      addRow("add-row", [
        "{{ $now() }}",
        "{{ steps.repository.output.body.stargazers_count }}",
        "{{ steps.repository.output.body.open_issues_count }}",
      ]),
    ],
  }),
  recipe("new-files-to-sheet", {
    name: "List new files of a folder in a spreadsheet",
    description: "Adds the files of the last 24 hours every morning",
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
      call("add-row", "sheets", "POST /spreadsheets/YOUR-SPREADSHEET/values/A1:append", {
        query: { valueInputOption: "USER_ENTERED" },
        body: { values: "{{ steps.rows.output }}" },
      }),
    ],
  }),
  recipe("onboarding-cards", {
    name: "Create Trello cards for a new employee",
    description: "Creates one card per task",
    trigger: form("New employee", "name"),
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
      tellSlack("notify", "{{ trigger.input.name }} starts soon"),
    ],
  }),
];
