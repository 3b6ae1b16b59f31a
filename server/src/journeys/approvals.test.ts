import { expect, test } from "vitest";
import { deployWorkflow, trigger, waitForRun } from "#domains/runs/testing/workflows.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import type { Ask } from "#kernel/testing/world.ts";
import { expectSound, useConsole, pressAndConfirm } from "./testing.ts";

describeInBrowser("approvals", () => {
  const at = useConsole();

  async function askFor(ask: Ask, approvers: readonly string[], message: string): Promise<string> {
    const nodes = [
      {
        id: "check",
        type: "set",
        name: "Check the budget",
        config: { values: { leftEuro: 1_240 } },
      },
      { id: "ask", type: "approval", name: "Ask the lead", config: { approvers, message } },
      { id: "pay", type: "set", name: "Pay", config: { values: { paid: true } } },
    ];
    const edges = [
      { from: "check", to: "ask" },
      { from: "ask", to: "pay", when: "approved" },
    ];
    const id = await deployWorkflow(ask, nodes, { edges, name: "Expense" });
    const { body } = await trigger(ask, id, { traveller: "Ada", city: "Lisbon" });
    await waitForRun(ask, body.data.runId, ["paused"]);
    return body.data.runId;
  }

  test("an approval shows its context and is decided with one key; the next one follows", async () => {
    const ask = await at.world.member(["owner"]);
    const visitor = await at.visit(["owner"]);
    const { page, userId } = visitor;
    const first = await askFor(ask, [userId], "Travel to Lisbon?");
    await page.goto(`${at.origin}/approvals`);
    await page.getByRole("heading", { name: "Travel to Lisbon?" }).waitFor();
    const about = page.getByRole("region", { name: "Approval" });
    await about.getByText("Traveller").waitFor();
    await about.getByText("1,240").waitFor();
    await expectSound(visitor);
    const second = await askFor(ask, [userId], "A second screen?");
    await page
      .getByRole("list", { name: "Pending approvals" })
      .getByText("A second screen?")
      .waitFor();
    // A single key decides nothing, and Enter cancels.
    await page.keyboard.press("y");
    await page.getByRole("dialog", { name: "Approve this step?" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await pressAndConfirm(page, "y");
    await page.getByText("Approved: Expense continues.").waitFor();
    await waitForRun(ask, page.url().includes(first) ? second : first, ["completed"]);
    await page.keyboard.press("n");
    await page.keyboard.type("Not this year");
    await page.keyboard.press("Enter");
    await page.getByText("No approvals").waitFor();
    await expectSound(visitor);
    const runs = await Promise.all([first, second].map((id) => waitForRun(ask, id)));
    const said = runs.flatMap((run) => run.trace.steps).find(({ branch }) => branch === "rejected");
    expect(JSON.stringify(said?.output)).toContain("Not this year");
    await page.getByRole("button", { name: "Decided" }).click();
    await page.getByRole("list", { name: "Decisions" }).getByText("Rejected").waitFor();
    await expectSound(visitor);
  });

  test("one of two concurrent decisions counts, and the other approver is informed", async () => {
    const ask = await at.world.member(["owner"]);
    const one = await at.visit(["owner"]);
    const other = await at.visit(["owner"], { dark: true, width: 400 });
    const runId = await askFor(ask, [one.userId, other.userId], "Who is first?");
    await one.page.goto(`${at.origin}/approvals`);
    await one.page.getByRole("heading", { name: "Who is first?" }).waitFor();
    await other.page.goto(`${at.origin}/approvals`);
    const tap = other.page.getByRole("button", { name: "Approve" });
    await tap.waitFor();
    await expectSound(other);
    // The log notifies the other approver shortly after; a faster click is rejected by the server.
    await other.page.route("**/resume", async (route) => {
      await ask(`GET /api/v1/runs/${runId}`);
      await waitForRun(ask, runId);
      await route.continue();
    });
    await Promise.all([tap.click(), pressAndConfirm(one.page, "y")]);
    await one.page.getByText("Approved: Expense continues.").waitFor();
    await other.page
      .getByText("Another approver already decided. Your decision was not saved.")
      .waitFor();
    expect((await waitForRun(ask, runId)).status).toBe("completed");
    const { body } = await ask(`GET /api/v1/audit?type=workflow.run_resumed&resourceId=${runId}`);
    expect(body.data).toHaveLength(1);
  });

  test("an approver sees that another has decided the open approval", async () => {
    const ask = await at.world.member(["owner"]);
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    const runId = await askFor(ask, ["owner"], "Anybody?");
    await page.goto(`${at.origin}/approvals`);
    await page.getByRole("heading", { name: "Anybody?" }).waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await ask(`POST /api/v1/runs/${runId}/resume`, { approved: false });
    const told = page.getByRole("region", { name: "Approval" }).getByText(/Rejected by/);
    await told.waitFor();
    expect(await page.getByRole("button", { name: /Approve/ }).count()).toBe(0);
    await expectSound(visitor);
  });
});
