import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { until } from "#kernel/testing/world.ts";
import { expectSound, useConsole } from "./testing.ts";

const shell = promisify(execFile);

describeInBrowser("working in an environment", () => {
  const at = useConsole();

  test("the curl command of a webhook shown in staging starts a run in staging, and none in production", async () => {
    const owner = await at.world.member(["owner"]);
    const made = await owner("POST /api/v1/workflows", {
      name: "Receive an order",
      trigger: { type: "webhook" },
      nodes: [{ id: "keep", type: "set", config: { values: { n: "{{ trigger.input.body }}" } } }],
      edges: [],
    });
    const { id } = made.body.data;
    const runsIn = async (environment: string): Promise<number> => {
      const where = { "x-environment": environment };
      const { body } = await owner(`GET /api/v1/runs?workflowId=${id}`, undefined, where);
      return body.data.length;
    };
    for (const environment of ["production", "staging"]) {
      const where = { "x-environment": environment };
      expect((await owner(`POST /api/v1/workflows/${id}/publish`, {}, where)).status).toBe(200);
    }
    const builder = await at.visit(["owner"]);
    const { page } = builder;
    await page.goto(`${at.origin}/workflows/${id}?step=*&environment=staging`);
    await page.getByRole("group", { name: "URL in staging" }).waitFor();
    await expectSound(builder);
    const line = String(await page.getByRole("group", { name: "Example request" }).textContent());
    // Run as in a terminal.
    const sent = await shell("bash", ["-c", `${line.trim()} --silent --fail`]);
    expect(JSON.parse(sent.stdout)).toMatchObject({ data: { runId: expect.any(String) } });
    await until(async () => (await runsIn("staging")) === 1);
    expect(await runsIn("production")).toBe(0);

    await page.goto(`${at.origin}/workflows/${id}?step=*&environment=development`);
    await page.getByText(/^Not deployed to development/).waitFor();
  });

  test("a new secret asks for its environments, and a deployment to staging lists missing values and production values", async () => {
    const owner = await at.world.member(["owner"]);
    await owner("POST /api/v1/tables", {
      name: "Order lines",
      slug: "order_lines",
      columns: [{ name: "sku", type: "text" }],
    });
    const builder = await at.visit(["owner"]);
    const { page } = builder;
    const store = async (name: string, where: string): Promise<void> => {
      await page.getByRole("button", { name: "New secret" }).first().click();
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("Value", { exact: true }).fill("a-secret-value");
      await page.getByRole("radio", { name: where }).check();
      await page.getByRole("button", { name: "Create secret" }).click();
      await page.getByText(`${name} created.`).waitFor();
    };
    await page.goto(`${at.origin}/secrets`);
    await store("SHARED_KEY", "All environments");
    await expectSound(builder);
    await store("LIVE_KEY", "Production only");
    const { body } = await owner("GET /api/v1/secrets");
    const kept = body.data.map(({ name, ownValuesOnly }: any) => [name, ownValuesOnly]);
    expect(kept).toEqual([
      ["LIVE_KEY", true],
      ["SHARED_KEY", false],
    ]);
    await page.getByRole("button", { name: /^Environment: / }).click();
    await page.getByText(/^Staging uses production’s value of SHARED_KEY\./).waitFor();
    await page.keyboard.press("Escape");

    const headers = { a: "{{secrets.SHARED_KEY}}", b: "{{secrets.LIVE_KEY}}" };
    const made = await owner("POST /api/v1/workflows", {
      name: "Send lines",
      trigger: { type: "manual" },
      nodes: [
        {
          id: "lines",
          name: "Order lines",
          type: "records",
          config: { operation: "list", table: "order_lines" },
        },
        {
          id: "send",
          name: "Send them",
          type: "http",
          config: { url: "https://example.com", headers },
        },
      ],
      edges: [{ from: "lines", to: "send" }],
    });
    await page.goto(`${at.origin}/workflows/${made.body.data.id}?panel=deploy`);
    const dialog = page.getByRole("dialog", { name: "Deploy" });
    await dialog.getByText("Staging").click();
    await dialog.getByText("refers to the table order_lines, which does not exist").waitFor();
    await dialog.getByText("requires the secret LIVE_KEY, which has no value in staging").waitFor();
    const values = dialog.getByRole("region", { name: "Production values" });
    await values.getByText("SHARED_KEY").waitFor();
    expect(await values.getByText("LIVE_KEY").count()).toBe(0);
    await expectSound(builder);
    await dialog.getByText("Production", { exact: true }).click();
    await values.waitFor({ state: "detached" });
  });
});
