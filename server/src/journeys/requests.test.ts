import { expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { until } from "#kernel/testing/world.ts";
import { expectSound, useConsole } from "./testing.ts";

const FORM = {
  type: "object",
  properties: {
    choice: { type: "string", title: "System", enum: ["ERP", "CRM"] },
    choice_2: { type: "string", title: "Reason", enum: ["Permanent", "Temporary"] },
    date: { type: "string", title: "Until when" },
  },
  required: ["choice", "choice_2", "date"],
  allOf: [
    {
      if: { properties: { choice_2: { const: "Temporary" } }, required: ["choice_2"] },
      else: { properties: { date: false } },
    },
  ],
};

describeInBrowser("requests", () => {
  const at = useConsole();

  test("an approver finds the requester and the request under Approvals, and decides with a public comment", async () => {
    const owner = await at.world.member(["owner"]);
    const approver = await at.visit(["member"]);
    const asker = await at.world.member(["requester"]);
    await at.world.sql("update users set name = 'Noah Novak' where id = $1", [asker.userId]);
    const item = await owner("POST /api/v1/catalog/items", {
      name: "VPN access",
      form: FORM,
      price: "12 EUR",
      approval: { required: true, approverIds: [approver.userId], rule: "any" },
    });
    const values = { choice_2: "Permanent", choice: "ERP" };
    const asked = await asker("POST /api/v1/catalog/requests", {
      itemId: item.body.data.id,
      values,
    });
    const { id, number } = asked.body.data;
    const { page } = approver;
    await page.goto(`${at.origin}/approvals`);
    const others = page.getByRole("list", { name: "Requests, changes and agent actions" });
    await others.getByText("Noah Novak requests VPN access").waitFor();
    await others.getByText("System").waitFor();
    await others.getByText("12 EUR").waitFor();
    await expectSound(approver);
    await others.getByRole("link", { name: "Review" }).click();
    const story = page.getByRole("list", { name: "Timeline" });
    await story.getByText("Noah Novak").first().waitFor();
    const titles = await story.locator("dt").allTextContents();
    expect(titles).toEqual(["System", "Reason", "Price"]);
    await page.getByRole("button", { name: "Approve" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: /Comment/ }).fill("In the budget");
    await dialog.getByRole("button", { name: "Approve" }).click();
    await story.getByText("approved it: In the budget").waitFor();
    // An approval can't be undone.
    expect(await story.getByRole("button", { name: "Undo" }).count()).toBe(0);
    const { body } = await owner(`GET /api/v1/catalog/requests/${id}`);
    expect([body.data.state, body.data.approval.decisions[0].comment]).toEqual([
      "fulfilling",
      "In the budget",
    ]);
    expect(number).toMatch(/^REQ/);
  });

  test("a member with only requester rights is redirected to the portal, where a hidden question is not required", async () => {
    const owner = await at.world.member(["owner"]);
    const item = await owner("POST /api/v1/catalog/items", { name: "ERP access", form: FORM });
    const asker = await at.visit(["requester"]);
    const { page } = asker;
    await page.goto(`${at.origin}/`);
    await page.waitForURL(/\/portal\//);
    await page.goto(`${at.origin}/workflows`);
    await page.getByText("This page is only for agents").waitFor();
    await expectSound(asker);
    await page.getByRole("link", { name: "Open portal" }).click();
    await page.waitForURL(/\/portal\//);
    await page.goto(`${at.origin}/catalog/${item.body.data.id}`);
    await page.waitForURL(/\/portal\/.*\/ask\//);
    const choose = (title: string, option: string) =>
      page.getByRole("group", { name: title }).getByText(option, { exact: true }).click();
    await choose("System", "CRM");
    await choose("Reason", "Permanent");
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForURL(/\/tickets\/REQ/);
    const number = /REQ\d+/.exec(page.url())?.[0] ?? "";
    await page.getByText(number).first().waitFor();
    const request = await until(async () => {
      const { status, body } = await owner(`GET /api/v1/catalog/requests/${number}`);
      return status === 200 && body.data;
    });
    expect(request.values).toEqual({ choice: "CRM", choice_2: "Permanent" });
  });

  test("Home links an approver to the page of a change, where they decide", async () => {
    const manager = await at.visit(["change_manager"]);
    const agent = await at.world.member(["agent"]);
    const made = await agent("POST /api/v1/itsm/changes", {
      title: "Replace the firewall",
      type: "normal",
      approval: { rule: "count", value: 1, approverIds: [manager.userId] },
    });
    expect(made.status).toBe(201);
    await agent(`POST /api/v1/itsm/changes/${made.body.data.id}/submit`, {});
    const { page } = manager;
    await page.goto(`${at.origin}/`);
    await page.getByRole("link", { name: "Approve Replace the firewall" }).click();
    await page.waitForURL(/\/changes\/CHG/);
    await page
      .getByRole("button", { name: /^Approve/ })
      .first()
      .waitFor();
    await page
      .getByRole("button", { name: /^Reject/ })
      .first()
      .waitFor();
  });
});
