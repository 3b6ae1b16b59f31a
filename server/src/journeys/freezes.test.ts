import { expect, test } from "vitest";
import {
  CHANGES,
  createSubmittedChange,
  performAction,
  readEvents,
} from "#domains/itsm/changes/testing/changes.ts";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { expectSound, useConsole } from "./testing.ts";

const FREEZES = "/api/v1/itsm/blackout-windows";
const DAY_MS = 86_400_000;

describeInBrowser("change freezes", () => {
  const at = useConsole();

  test("a change freeze is created from the palette, edited and deleted in the calendar", async () => {
    const owner = await at.world.member(["owner"]);
    const freezes = async (): Promise<any[]> => (await owner(`GET ${FREEZES}`)).body.data;
    const visitor = await at.visit(["change_manager"]);
    const { page } = visitor;
    await page.goto(`${at.origin}/`);
    await page.getByRole("heading", { name: "Waiting for you", exact: true }).waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await page.keyboard.type("blackout");
    await page.getByRole("option", { name: "New change freeze" }).waitFor();
    await page.keyboard.press("Enter");

    const dialog = page.getByRole("dialog", { name: "New change freeze" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Year end");
    const day = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
    await dialog.getByLabel("Start").fill(`${day}T08:00`);
    await dialog.getByLabel("End").fill(`${day}T07:00`);
    await dialog.getByRole("button", { name: "Create change freeze" }).click();
    await dialog.getByText("The end must be after the start.").waitFor();
    await dialog.getByLabel("End").fill(`${day}T18:00`);
    await dialog.getByRole("textbox", { name: "Reason (optional)" }).fill("Annual accounts");
    await expectSound(visitor);
    await dialog.getByRole("button", { name: "Create change freeze" }).click();
    const entry = page.getByRole("button", { name: /Year end/ });
    await entry.waitFor();
    const [made] = await freezes();
    expect(made).toMatchObject({ name: "Year end", reason: "Annual accounts", ciIds: [] });
    expect(Date.parse(made.end) - Date.parse(made.start)).toBe(10 * 3_600_000);

    await entry.click();
    const edit = page.getByRole("dialog", { name: "Edit change freeze" });
    await edit.getByRole("textbox", { name: "Name" }).fill("Year-end close");
    await edit.getByRole("button", { name: "Save" }).click();
    const renamed = page.getByRole("button", { name: /Year-end close/ });
    await renamed.waitFor();
    expect(await freezes()).toMatchObject([
      { id: made.id, name: "Year-end close", start: made.start },
    ]);

    await renamed.click();
    await edit.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete change freeze" }).click();
    await renamed.waitFor({ state: "detached" });
    expect(await freezes()).toEqual([]);
  });

  test("starting a change outside its window requires a reason, which the history shows", async () => {
    const [owner, manager] = [
      await at.world.member(["owner"]),
      await at.world.member(["change_manager"]),
    ];
    const later = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
    const { id, number } = await createSubmittedChange(owner, {
      title: "Replace the disks",
      plannedStart: later(2),
      plannedEnd: later(3),
    });
    await performAction(manager, id, "approve");
    const { page } = await at.visit(["agent"]);
    await page.goto(`${at.origin}/changes/${number}`);
    await page.getByRole("button", { name: "Start", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Start" });
    await dialog.getByText("The current time is outside the planned window.").waitFor();
    await dialog.getByRole("button", { name: "Start" }).click();
    await dialog.getByText("Reason to start now is required").waitFor();
    expect((await owner(`GET ${CHANGES}/${id}`)).body.data.state).toBe("approved");
    await dialog.getByRole("textbox", { name: "Reason to start now" }).fill("The disks fail");
    await dialog.getByRole("button", { name: "Start" }).click();
    await page.getByText(/started the change outside its window: The disks fail/).waitFor();
    expect((await owner(`GET ${CHANGES}/${id}`)).body.data.state).toBe("implementing");
    expect((await readEvents(at.world, id)).at(-1)).toMatchObject({
      type: "change.implementation_started",
      data: { outsideWindow: true, reason: "The disks fail", conflicts: [], blackoutWindows: [] },
    });
  });
});
