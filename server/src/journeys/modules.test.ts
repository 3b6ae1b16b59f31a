import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { until } from "#kernel/testing/world.ts";
import { expectSound, useConsole } from "./testing.ts";

const ARTIFACTS = "/api/v1/sdk/artifacts";

describeInBrowser("deploying a workflow whose script imports a module", () => {
  const at = useConsole();

  test("the deploy dialog names who changed the module, and only its checkbox updates it", async () => {
    const builder = await at.visit(["owner"]);
    const owner = await at.world.member(["owner"]);
    const source = (rate: number) => ({ scriptSource: `export const rate = () => ${rate};` });
    const module = await owner(`POST ${ARTIFACTS}`, {
      name: "tax",
      artifactType: "script_module",
      status: "active",
      detail: source(1),
    });
    const config = { source: 'import { rate } from "module:tax";\nreturn rate();' };
    const made = await owner("POST /api/v1/workflows", {
      name: "Add the tax",
      trigger: { type: "manual" },
      nodes: [{ id: "code", type: "script", config }],
      edges: [],
    });
    const { id } = made.body.data;
    expect((await owner(`POST /api/v1/workflows/${id}/publish`, {})).status).toBe(200);
    const colleague = await at.world.member(["builder"]);
    const changed = await colleague(`PATCH ${ARTIFACTS}/${module.body.data.id}`, {
      detail: source(2),
    });
    expect(changed.status).toBe(200);
    const output = async () => {
      const { body } = await owner(`POST /api/v1/workflows/${id}/trigger`, {});
      return until(async () => {
        const run = (await owner(`GET /api/v1/runs/${body.data.runId}`)).body.data;
        return run.status === "completed" && run.output;
      });
    };
    const { page } = builder;
    const deploy = async (usesNewest: boolean): Promise<void> => {
      await page.goto(`${at.origin}/workflows/${id}?panel=deploy`);
      const dialog = page.getByRole("dialog", { name: "Deploy" });
      const modules = dialog.getByRole("region", { name: "Modules" });
      await modules.getByText("version 1 → 2, saved by").waitFor();
      await expectSound(builder);
      if (usesNewest) await modules.getByLabel("Use the newest versions").check();
      await dialog.getByRole("button", { name: "Deploy to production" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await deploy(false);
    expect(await output()).toBe(1);
    await deploy(true);
    expect(await output()).toBe(2);
  });

  test("an artifact's page names its newer modules, and only its button updates them", async () => {
    const builder = await at.visit(["owner"]);
    const owner = await at.world.member(["owner"]);
    const made = async (name: string, artifactType: string, scriptSource: string) => {
      const body = { name, artifactType, status: "active", detail: { scriptSource } };
      return (await owner(`POST ${ARTIFACTS}`, body)).body.data.id as string;
    };
    const source = (rate: number) => `export const rate = () => ${rate};`;
    const module = await made("duty", "script_module", source(1));
    const code = 'import { rate } from "module:duty";\nreturn rate();';
    const id = await made("charge", "workflow_node", code);
    await owner(`PATCH ${ARTIFACTS}/${module}`, { detail: { scriptSource: source(2) } });
    const output = async () => {
      const { body } = await owner(`POST ${ARTIFACTS}/${id}/execute`, { inputPayload: {} });
      return body.data.output.result;
    };
    const { page } = builder;
    await page.goto(`${at.origin}/artifacts/${id}?tab=settings`);
    const modules = page.getByRole("region", { name: "Newer module versions" });
    await modules.getByText("module:duty: version 1 → 2").waitFor();
    await expectSound(builder);
    expect(await output()).toBe(1);
    await modules.getByRole("button", { name: "Update modules" }).click();
    await modules.waitFor({ state: "detached" });
    expect(await output()).toBe(2);
  });
});
