import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { until } from "#kernel/testing/world.ts";
import { expectSound, useConsole } from "./testing.ts";

const shell = promisify(execFile);

describeInBrowser("working in an environment", () => {
  const at = useConsole();

  test("the curl line of a webhook shown in staging starts a run in staging, and none in production", async () => {
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
    await page.getByRole("group", { name: "Address in staging" }).waitFor();
    await expectSound(builder);
    const line = String(await page.getByRole("group", { name: "Try it" }).textContent());
    // As somebody pastes it into a terminal.
    const sent = await shell("bash", ["-c", `${line.trim()} --silent --fail`]);
    expect(JSON.parse(sent.stdout)).toMatchObject({ data: { runId: expect.any(String) } });
    await until(async () => (await runsIn("staging")) === 1);
    expect(await runsIn("production")).toBe(0);

    await page.goto(`${at.origin}/workflows/${id}?step=*&environment=development`);
    await page.getByText(/^Not deployed to development/).waitFor();
  });
});
