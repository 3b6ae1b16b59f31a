import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { IS_THOROUGH } from "#kernel/testing/thorough.ts";
import { type Ask, until } from "#kernel/testing/world.ts";
import { expectSound, useConsole, type Visitor } from "./testing.ts";

const TICKETS = IS_THOROUGH ? 10 : 3;

const ANSWER = "The queue was restarted, please print again.";

/** Counts the key presses that re-rendered the ticket panel: React then gives its element new properties. */
async function countPanelDrawn(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const panel = document.querySelector("section.ticket") as unknown as Record<string, unknown>;
    const name = Object.keys(panel).find((one) => one.startsWith("__reactProps")) ?? "";
    let known = panel[name];
    const drawn = { count: known === undefined ? Number.NaN : 0 };
    Object.assign(globalThis, { drawn });
    addEventListener("keyup", () => {
      if (panel[name] === known) return;
      known = panel[name];
      drawn.count += 1;
    });
  });
  return () =>
    page.evaluate(() => (globalThis as unknown as { drawn: { count: number } }).drawn.count);
}

/** The number of a ticket in the address. */
const openNumber = ({ page }: Visitor): string | null =>
  new URL(page.url()).searchParams.get("open");

describeInBrowser("the agent's desk", () => {
  const at = useConsole();

  let owner: Ask;
  beforeAll(async () => {
    owner = await at.world.member(["owner"]);
  });

  const raise = async (title: string, more: object = {}): Promise<string> => {
    const made = await owner("POST /api/v1/itsm/incidents", {
      title,
      description: "It does not work.",
      ...more,
    });
    expect(made.status).toBe(201);
    return made.body.data.number as string;
  };
  const read = async (number: string) =>
    (await owner(`GET /api/v1/itsm/incidents/${number}`)).body.data;
  const enter = async ({ page }: Visitor, path: string): Promise<void> => {
    await page.goto(`${at.origin}${path}`);
    await page.getByRole("listbox", { name: "Tickets" }).waitFor();
  };
  const story = ({ page }: Visitor) => page.getByRole("list", { name: "Timeline" });

  test("an agent resolves all tickets with the keyboard only", async () => {
    const numbers: string[] = [];
    for (let n = 1; n <= TICKETS; n += 1) numbers.push(await raise(`Printer ${n} is offline`));
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, "/desk?view=open");
    await expectSound(agent);
    for (let n = 0; n < TICKETS; n += 1) {
      if (n === 0) await page.keyboard.press("j");
      await until(async () => openNumber(agent) !== null);
      const number = openNumber(agent) ?? "";
      await page.getByRole("region", { name: `Incident ${number}` }).waitFor();
      await story(agent).waitFor();
      await page.keyboard.press("t");
      await page.getByText(`${number} assigned to you`).waitFor();
      await page.keyboard.press("r");
      if (n > 0) await page.keyboard.type(ANSWER);
      else {
        const countDrawn = await countPanelDrawn(page);
        await page.keyboard.type(ANSWER);
        // The first key sends the typing indicator; the other keys render only the letter.
        expect(await countDrawn()).toBeLessThan(ANSWER.length / 4);
        await expectSound(agent);
      }
      await page.keyboard.press("Control+Shift+Enter");
      await until(async () => openNumber(agent) !== number);
    }
    for (const number of numbers) {
      expect(await read(number)).toMatchObject({ state: "resolved", assigneeId: agent.userId });
    }
    await page.getByText("No tickets").waitFor();
    expect(agent.faults).toEqual([]);
  });

  test("two agents do not collide: one takes the ticket, and a reply is not sent over another", async () => {
    const number = await raise("Two hands reach for it");
    const [ada, ben] = [await at.visit(["agent"]), await at.visit(["agent"], { dark: true })];
    for (const one of [ada, ben]) {
      await enter(one, `/desk?view=open&open=${number}`);
      await story(one).waitFor();
    }
    // Both press at once: the server assigns it to one, and tells the other the assignee.
    await Promise.all([ada.page.keyboard.press("t"), ben.page.keyboard.press("t")]);
    await until(async () => {
      const told = await Promise.all(
        [ada, ben].map(({ page }) => page.getByText(`${number} assigned to you`).isVisible()),
      );
      return told.includes(true) && (await read(number)).assigneeId !== null;
    });
    const { assigneeId } = await read(number);
    expect([ada.userId, ben.userId]).toContain(assigneeId);
    const loser = assigneeId === ada.userId ? ben : ada;
    await until(async () => !(await loser.page.getByText(`${number} assigned to you`).isVisible()));

    // Both type: each sees the other's typing indicator, and the second is warned before sending.
    await ada.page.keyboard.press("r");
    await ada.page.keyboard.type("Ada: we are on it.");
    await ben.page.keyboard.press("r");
    await ben.page.keyboard.type("Ben: could you restart it?");
    await ada.page.getByText(/is typing/).waitFor();
    await ada.page.keyboard.press("Control+Enter");
    await story(ada).getByText("Ada: we are on it.").waitFor();
    await ben.page.getByText(/while you were writing/).waitFor();
    await ben.page.keyboard.press("Control+Enter");
    await ben.page.getByText("Your message was not sent.", { exact: false }).waitFor();
    expect(await story(ben).getByText("Ben: could you restart it?").count()).toBe(0);
    await expectSound(ben);

    // A reload keeps the draft; after a review it can still be sent, here as a note.
    await ben.page.reload();
    const note = ben.page.getByRole("textbox", { name: "Reply to the caller" });
    await until(async () => (await note.inputValue()) === "Ben: could you restart it?");
    await note.focus();
    await ben.page.keyboard.press("Escape");
    await ben.page.keyboard.press("i");
    await ben.page.keyboard.press("Control+Enter");
    await ben.page.getByText("Your message was not sent.", { exact: false }).waitFor();
    await ben.page.keyboard.press("Control+Enter");
    await story(ada).getByText("Ben: could you restart it?").waitFor();
    await story(ada).getByText("Internal").waitFor();
    expect([...ada.faults, ...ben.faults]).toEqual([]);
  });

  test("previews a macro on many tickets and then applies it", async () => {
    const macro = await owner("POST /api/v1/itsm/macros", {
      name: "Take and tag",
      steps: [{ act: "take" }, { act: "tag", add: ["batch"] }],
    });
    expect(macro.status).toBe(201);
    const numbers = [
      await raise("Batch one"),
      await raise("Batch two"),
      await raise("Batch three"),
    ];
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, "/desk?view=open&only=assignee:none&q=Batch");
    await until(async () => (await page.getByRole("option").count()) === 3);
    for (const key of ["j", "Shift+ArrowDown", "Shift+ArrowDown"]) await page.keyboard.press(key);
    await page.getByText("3 selected").waitFor();
    await page.keyboard.press("1");
    const dialog = page.getByRole("dialog");
    await until(async () => (await dialog.getByText("+ batch").count()) === 3);
    await expectSound(agent);
    expect(await read(numbers[0] ?? "")).toMatchObject({ assigneeId: null, tags: [] });
    await page.keyboard.press("Enter");
    await page.getByText("Take and tag: 3 tickets changed").waitFor();
    for (const number of numbers) {
      expect(await read(number)).toMatchObject({ assigneeId: agent.userId, tags: ["batch"] });
    }
  });

  test("a read-only member is offered no action that would be rejected, and a small screen has all functions", async () => {
    const number = await raise("A long name of a thing that no longer works as it did before");
    const viewer = await at.visit(["viewer"], { width: 400 });
    const { page } = viewer;
    await enter(viewer, "/desk?view=open");
    await expectSound(viewer);
    expect(await page.getByRole("button", { name: "Create ticket" }).isDisabled()).toBe(true);
    await page.getByRole("option", { name: new RegExp(number) }).click();
    await story(viewer).waitFor();
    expect(await page.getByRole("textbox", { name: "Reply to the caller" }).isDisabled()).toBe(
      true,
    );
    for (const button of await page
      .getByRole("button", { name: /^(Assign to me|Resolve)/ })
      .all()) {
      expect(await button.isDisabled()).toBe(true);
    }
    await page.getByRole("button", { name: "Details" }).click();
    await page.getByRole("complementary", { name: "Details" }).waitFor();
    await expectSound(viewer);
    await page.getByRole("button", { name: "Close details" }).click();
    await page.getByRole("button", { name: "Back to list" }).click();
    await page.getByRole("listbox", { name: "Tickets" }).waitFor();
  });
});
