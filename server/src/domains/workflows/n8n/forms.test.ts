/** n8n forms inside a workflow are imported as form steps. */
import { expect, test } from "vitest";
import { deployWorkflow } from "#domains/runs/testing/workflows.ts";
import { useReceiver } from "#domains/webhooks/testing/webhook.ts";
import { until, useWorld } from "#kernel/testing/world.ts";
import { connect, node } from "./testing/n8n-nodes.ts";

const receiver = await useReceiver();
const world = await useWorld({ work: true, env: receiver.env });
const owner = await world.member(["owner"]);

async function convert(nodes: readonly object[], connections: object) {
  const { body } = await owner("POST /api/v1/workflows/import", {
    format: "n8n",
    workflow: { name: "Imported", nodes, connections },
  });
  return body.data;
}

test("further form pages and free-text answers are imported as form steps", async () => {
  receiver.answer = (_asked, response) => void response.writeHead(204).end();
  const imported = await convert(
    [
      node("Begin", "formTrigger", {
        formTitle: "Order",
        formFields: { values: [{ fieldLabel: "Who" }] },
      }),
      node("Size", "form", {
        formFields: {
          values: [
            {
              fieldLabel: "Size",
              fieldType: "dropdown",
              fieldOptions: { values: [{ option: "L" }] },
            },
          ],
        },
        options: { formTitle: "=Which size, {{ $json.Who }}?" },
      }),
      node(
        "Tell",
        "httpRequest",
        {
          method: "POST",
          url: `${receiver.url}/tell-form`,
          sendBody: true,
          bodyParameters: {
            parameters: [{ name: "address", value: "={{ $execution.resumeFormUrl }}" }],
          },
        },
        { typeVersion: 4.2 },
      ),
      node("End", "form", {
        operation: "completion",
        completionTitle: "Done",
        completionMessage: "={{ $('Begin').item.json.Who }} gets {{ $('Size').item.json.Size }}",
      }),
    ],
    connect("Begin -> Size", "Size -> Tell", "Tell -> End"),
  );
  expect(imported.counts.placeholder).toBe(0);
  const { nodes, ...more } = imported.workflows[0].definition;
  const id = await deployWorkflow(owner, nodes, more);
  const { data } = (await owner(`GET /api/v1/workflows/${id}`)).body;
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const path = new URL(data.trigger.url).pathname;
  const started = await world.stranger(`POST ${path}`, "Who=Ann", headers);
  const next = String(started.headers["location"]);
  expect((await world.stranger(`GET ${next}`)).body).toContain("Which size, Ann?");
  const last = await world.stranger(`POST ${next}`, "Size=L", headers);
  expect(last.body).toContain("Ann gets L");
  const told = await until(async () => receiver.received.find((one) => one.path === "/tell-form"));
  expect(new URL(told.body.address).pathname).toBe(next);
});

test("a message that asks for a free-text answer is imported with a form page", async () => {
  receiver.answer = (_asked, response) => void response.writeHead(204).end();
  const imported = await convert(
    [
      node("Start", "manualTrigger"),
      node("Ask", "telegram", {
        operation: "sendAndWait",
        chatId: "1",
        message: "What now?",
        responseType: "freeText",
      }),
      node("Wait", "wait", {
        resume: "form",
        formTitle: "More",
        formFields: { values: [{ fieldLabel: "Name" }] },
        limitWaitTime: true,
        resumeAmount: 2,
        resumeUnit: "hours",
      }),
    ],
    connect("Start -> Ask", "Ask -> Wait"),
  );
  expect(imported.counts.placeholder).toBe(0);
  const { definition } = imported.workflows[0];
  const forms = definition.nodes.filter(({ type }: any) => type === "wait_for_form");
  expect(forms.map(({ config }: any) => [config.shownTo, config.timeoutMs])).toEqual([
    ["link", undefined],
    ["link", 7_200_000],
  ]);
  expect(forms[0].config.pages).toEqual([
    { fields: [{ name: "text", label: "text", type: "textarea", required: true }] },
  ]);
  expect(JSON.stringify(definition.nodes)).toContain("Respond: ");
});
