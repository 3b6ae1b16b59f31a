import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { until } from "#kernel/testing/world.ts";
import { expectSound, expectSoundInEveryLook, useConsole, moveTo } from "./testing.ts";

describeInBrowser("agents", () => {
  const at = useConsole({ work: true });

  test("an owner sets which agent calls require approval, reviews a call, approves it, and ends the agent's access", async () => {
    const builder = await at.world.member(["builder"]);
    const admin = await at.visit(["admin"]);
    const { page } = admin;
    await page.goto(`${at.origin}/settings/agents`);
    await page.getByLabel("Calls that need approval").selectOption("drastic");
    await page.getByRole("combobox", { name: "Add operation" }).fill("records.*");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove records.*" }).waitFor();
    // The field is ready for the next one.
    await page.keyboard.type("problems.*");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Remove problems.*" }).click();
    await page.getByRole("combobox", { name: "Add role or person" }).fill("builder");
    await page.getByRole("option", { name: /Builder.*Role/ }).click();
    await page.getByRole("button", { name: "Remove Owner" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Approval policy saved.").waitFor();
    expect((await builder("GET /api/v1/agents/policy")).body.data).toMatchObject({
      demands: "drastic",
      approvers: ["admin", "builder"],
      operations: ["records.*"],
    });

    const made = await builder("POST /api/v1/auth/tokens", {
      name: "Builder bot",
      expiresIn: "30d",
      scopes: ["mcp:connect", "workflows:write"],
    });
    const bot = at.world.asToken(made.body.data.token, "default");
    const draft = { name: "Old report", trigger: { type: "manual" }, nodes: [], edges: [] };
    const { body } = await builder("POST /api/v1/workflows", draft);
    const call = { operation: "workflows.archive", input: { id: body.data.id } };
    expect((await bot("POST /api/v1/agent-calls", call)).status).toBe(202);

    const waiting = page.getByRole("list", { name: "Calls waiting for approval" });
    await waiting.getByText("Builder bot").waitFor();
    await page.getByRole("list", { name: "Agents" }).getByText("1 waiting").waitFor();
    await waiting
      .getByText(/: Old report/)
      .first()
      .waitFor();
    await expectSoundInEveryLook(admin);

    await moveTo(page, `${at.origin}/approvals`);
    await page.getByRole("button", { name: "Agents 1" }).click();
    await waiting.getByLabel("Comment on").fill("Nobody reads it");
    await expectSound(admin);
    await waiting.getByRole("button", { name: "Approve" }).click();
    await page.getByText("No calls waiting for approval").waitFor();
    const path = `GET /api/v1/workflows/${body.data.id}`;
    await until(async () => (await builder(path)).body.data.status === "archived");

    await moveTo(page, `${at.origin}/settings/agents`);
    await page.getByText(/Approved by .*, performed .*Nobody reads it/).waitFor();
    await page.getByRole("button", { name: "Revoke access of Builder bot" }).click();
    await page.getByRole("button", { name: "Revoke access", exact: true }).click();
    await page.getByText("Access of Builder bot revoked.").waitFor();
    expect((await bot("POST /api/v1/agent-calls", call)).status).toBe(401);
  });

  test("a viewer can read the page without rejected requests", async () => {
    const viewer = await at.visit(["viewer"], { dark: true, width: 400 });
    const { page } = viewer;
    await page.goto(`${at.origin}/settings/agents`);
    await page.getByText("No agents connected yet.").waitFor();
    await page.getByText("Require another member to approve an agent's calls").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await expectSound(viewer);
  });
});
