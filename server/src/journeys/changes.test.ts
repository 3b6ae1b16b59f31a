import { expect, test } from "vitest";
import {
  CHANGES,
  createItem,
  createSubmittedChange,
  performAction,
} from "#domains/itsm/changes/testing/changes.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, pressAndConfirm, useConsole } from "./testing.ts";

const HOUR_MS = 3_600_000;

describeInBrowser("changes", () => {
  const at = useConsole();
  const soon = (hours: number): string => {
    const hour = Math.ceil(at.world.clock.nowMs() / HOUR_MS);
    return new Date((hour + hours) * HOUR_MS).toISOString();
  };

  test("two approvers vote on a change with keys on the board, with its conflict visible", async () => {
    const owner = await at.world.member(["owner"]);
    const agent = await at.visit(["agent"]);
    const [one, other] = [
      await at.visit(["change_manager"]),
      await at.visit(["change_manager"], { dark: true }),
    ];
    const ciIds = [await createItem(owner, "Orders database")];
    const window = { plannedStart: soon(1), plannedEnd: soon(3) };
    await owner("POST /api/v1/itsm/blackout-windows", {
      name: "Month end",
      reason: "Books are closed",
      start: soon(2),
      end: soon(9),
    });
    await createSubmittedChange(owner, { title: "Tune the pools", ciIds, ...window });

    // It is drafted and handed in by keyboard.
    const { page } = agent;
    await page.goto(`${at.origin}/changes?view=list`);
    await page.getByRole("button", { name: "New change", disabled: false }).waitFor();
    await page.getByRole("button", { name: "Assigned to me" }).focus();
    await page.keyboard.press("c");
    await page.getByRole("textbox", { name: "Title" }).fill("Upgrade the database");
    await page.getByRole("combobox", { name: "Affected items" }).fill("Orders");
    await page.getByRole("option", { name: /Orders database/ }).waitFor();
    await page.keyboard.press("Enter");
    await page
      .getByRole("textbox", { name: "Implementation plan (optional)" })
      .fill("1. Snapshot\n2. Upgrade");
    await page.getByRole("spinbutton", { name: "Required approvals" }).fill("2");
    await page.getByRole("button", { name: "Create draft" }).click();
    await page.getByRole("heading", { name: "Upgrade the database" }).waitFor();
    await page.locator("main:focus").waitFor();
    const number = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const { body } = await owner(`GET ${CHANGES}/${number}`);
    await owner(`PATCH ${CHANGES}/${body.data.id}`, window);
    await page.getByRole("region", { name: "Conflicts" }).getByText("Tune the pools").waitFor();
    await page.locator(".change-when", { hasText: "Not scheduled" }).waitFor({ state: "hidden" });
    await pressAndConfirm(page, "s");
    await page.getByText(`${number} submitted`).waitFor();
    await page.getByText("You don’t have permission to approve changes.").waitFor();
    await expectSound(agent);

    // The calendar shows it with its conflict; the board shows both votes.
    await one.page.goto(`${at.origin}/changes`);
    const entry = one.page.getByRole("button", { name: /Upgrade the database/ }).first();
    await entry.getByRole("img", { name: "Has conflicts" }).waitFor();
    await entry.click();
    await one.page
      .getByRole("complementary", { name: "Upgrade the database" })
      .getByText("Books are closed")
      .waitFor();
    await expectSound(one);
    await one.page.keyboard.press("b");
    await one.page.getByRole("heading", { name: "Upgrade the database" }).waitFor();
    await one.page.getByText("1. Snapshot").waitFor();
    await expectSound(one);
    // With a conflict, an approval needs a comment.
    await one.page.keyboard.press("y");
    await one.page.getByRole("textbox", { name: /despite the conflict/ }).fill("Agreed");
    await one.page.keyboard.press("Enter");
    await one.page.getByText("1 of 2 approved", { exact: true }).waitFor();
    await one.page.getByText("You have already decided.").waitFor();
    await other.page.goto(`${at.origin}/changes/board?open=${body.data.id}`);
    await other.page.getByText("1 of 2 approved", { exact: true }).waitFor();
    await expectSound(other);
    await other.page.keyboard.press("y");
    await other.page.getByRole("textbox", { name: /despite the conflict/ }).fill("Agreed");
    await other.page.keyboard.press("Enter");
    await other.page.getByText(`You approved ${number}.`).waitFor();
    expect((await owner(`GET ${CHANGES}/${number}`)).body.data.state).toBe("approved");

    // The other change on the agenda is rejected with a reason.
    await other.page.getByRole("heading", { name: "Tune the pools" }).waitFor();
    await other.page.getByText("0 of 1 approved", { exact: true }).waitFor();
    await other.page.keyboard.press("n");
    await other.page.getByRole("textbox", { name: "Reason for rejection" }).waitFor();
    await other.page.keyboard.type("Not at month end");
    await other.page.keyboard.press("Enter");
    await other.page.getByText("No changes to approve").waitFor();
  });

  test("a viewer sees why they cannot vote, also on a phone", async () => {
    const owner = await at.world.member(["owner"]);
    const change = await createSubmittedChange(owner, {
      title: "Swap a switch",
      plannedStart: soon(1),
      plannedEnd: soon(2),
    });
    const viewer = await at.visit(["viewer"], { width: 400 });
    const { page } = viewer;
    await page.goto(`${at.origin}/changes`);
    await page
      .getByRole("button", { name: /Swap a switch/ })
      .first()
      .click();
    await expectSound(viewer);
    await page.getByRole("link", { name: "Open on board" }).click();
    await page.getByText("You don’t have permission to approve changes.").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).isDisabled()).toBe(true);
    await expectSound(viewer);
    await page.keyboard.press("y");
    await performAction(await at.world.member(["change_manager"]), change.id, "reject", {
      reason: "Never",
    });
    await page.getByRole("heading", { name: "Swap a switch" }).waitFor({ state: "detached" });
    expect((await owner(`GET ${CHANGES}/${change.id}/approvals`)).body.data.votes).toHaveLength(1);
  });
});
