import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { type Ask, until } from "#kernel/testing/world.ts";
import { expectSound, useConsole, type Visitor } from "./testing.ts";

const ITSM = "/api/v1/itsm";

describeInBrowser("the queue of the desk", () => {
  const at = useConsole();

  let owner: Ask & { readonly userId: string };
  beforeAll(async () => {
    owner = await at.world.member(["owner"]);
  });

  const raise = async (plural: string, title: string, more: object = {}): Promise<any> => {
    const made = await owner(`POST ${ITSM}/${plural}`, { title, ...more });
    expect(made.status).toBe(201);
    return made.body.data;
  };
  const raiseAll = (titles: readonly string[], more: object = {}) =>
    Promise.all(titles.map((title) => raise("incidents", title, more)));
  const read = async ({ id }: any) => (await owner(`GET ${ITSM}/incidents/${id}`)).body.data;
  const readAll = (tickets: readonly any[]) => Promise.all(tickets.map(read));
  /** The events of each ticket since its creation, oldest first. */
  const eventsOf = (tickets: readonly any[]): Promise<string[][]> =>
    Promise.all(
      tickets.map(async ({ id }) => {
        const { body } = await owner(`GET ${ITSM}/incidents/${id}/timeline?limit=100`);
        return body.data
          .map(({ type }: any) => type)
          .toReversed()
          .slice(1);
      }),
    );
  const enter = async ({ page }: Visitor, query: string): Promise<void> => {
    await page.goto(`${at.origin}/desk?${query}`);
    await page.getByRole("listbox", { name: "Tickets" }).waitFor();
  };
  const rowsOf = async (page: Page, count: number): Promise<string[]> => {
    const rows = page.getByRole("listbox", { name: "Tickets" }).getByRole("option");
    await until(async () => (await rows.count()) === count);
    const tops = await rows.evaluateAll((all) =>
      all.map((row) => ({
        top: row.getBoundingClientRect().top,
        number: row.querySelector(".row-number")?.textContent ?? "",
      })),
    );
    return tops.toSorted((one, other) => one.top - other.top).map(({ number }) => number);
  };

  test("shortcut keys apply to all selected tickets, list expected failures first, and support Undo", async () => {
    const tickets = await raiseAll(["Toner A", "Toner B", "Toner C"]);
    const change = await raise("changes", "Toner for all");
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, "view=open&q=toner");
    await rowsOf(page, 4);
    await page.keyboard.press("j");
    await page.locator("section.ticket").getByRole("button", { name: "More actions" }).waitFor();
    await page.keyboard.press("Control+a");
    await page.getByText("4 selected").waitFor();
    await expectSound(agent);
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog", { name: "Resolve 4 tickets" });
    await dialog.getByText("1 ticket can't be changed").waitFor();
    await dialog.locator("li.refused").getByText(change.number).waitFor();
    await dialog.getByText("New → Resolved").first().waitFor();
    expect((await readAll(tickets)).map(({ state }) => state)).toEqual(["new", "new", "new"]);
    await expectSound(agent);
    await dialog.getByRole("textbox", { name: "Resolution" }).fill("Toner was delivered.");
    await page.keyboard.press("Control+Enter");
    await page.getByText("Resolve: 3 tickets changed").waitFor();
    expect(await readAll(tickets)).toMatchObject(
      tickets.map(() => ({ state: "resolved", resolution: "Toner was delivered." })),
    );
    expect(await eventsOf(tickets)).toEqual(tickets.map(() => ["incident.resolved"]));
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone: 3 tickets").waitFor();
    expect((await readAll(tickets)).map(({ state }) => state)).toEqual(
      tickets.map(() => "in_progress"),
    );
    expect(await eventsOf(tickets)).toEqual(
      tickets.map(() => ["incident.resolved", "incident.reopened"]),
    );
    expect(agent.faults).toEqual([]);
  });

  test("the action bar acts on tickets selected with the mouse, and fits in one row", async () => {
    const tickets = await raiseAll(["Badge A", "Badge B", "Badge C"]);
    const problem = await raise("problems", "Reader loses badges");
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, `view=open&q=badge&only=kind:incident&open=${tickets[0].number}`);
    await rowsOf(page, 3);
    const bar = page.getByRole("toolbar", { name: "Selected tickets" });
    const select = async () => {
      await page.getByRole("option", { name: tickets[0].number }).click({ modifiers: ["Control"] });
      await page.getByRole("option", { name: tickets[1].number }).click({ modifiers: ["Control"] });
      await page.getByRole("option", { name: tickets[2].number }).click({ modifiers: ["Control"] });
      await bar.getByText("3 selected").waitFor();
    };
    const pick = async (name: string) => {
      await bar.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name }).click();
    };
    await select();
    const tops = await bar
      .getByRole("button")
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().top)));
    expect(new Set(tops).size).toBe(1);

    await bar.getByRole("button", { name: "Assign to me" }).click();
    await page.getByRole("dialog", { name: "Assign 3 tickets to me" }).waitFor();
    await page.getByRole("button", { name: "Assign to me 3 tickets" }).click();
    await page.getByText("Assign to me: 3 tickets changed").waitFor();
    const assigned = ["incident.updated", "incident.assigned"];
    expect(await eventsOf(tickets)).toEqual(tickets.map(() => assigned));

    await select();
    await pick("Put on hold…");
    const hold = page.getByRole("dialog", { name: "Put 3 tickets on hold" });
    await hold.getByRole("textbox", { name: "Reason for hold" }).fill("New readers");
    await hold.getByRole("button", { name: "Put on hold 3 tickets" }).click();
    await page.getByText("Put on hold: 3 tickets changed").waitFor();
    expect(await readAll(tickets)).toMatchObject(
      tickets.map(() => ({
        state: "on_hold",
        onHoldReason: "New readers",
        assigneeId: agent.userId,
      })),
    );

    await select();
    await pick("Set impact and urgency…");
    const levels = page.getByRole("dialog", { name: "Set impact and urgency of 3 tickets" });
    await levels.getByLabel("Urgency").selectOption({ label: "High" });
    await levels.getByRole("button", { name: "Set impact and urgency 3 tickets" }).click();
    await page.getByText("Set impact and urgency: 3 tickets changed").waitFor();
    expect((await readAll(tickets)).map(({ urgency }) => urgency)).toEqual([1, 1, 1]);

    await select();
    await pick("Link to problem…");
    const link = page.getByRole("dialog", { name: "Link 3 tickets to a problem" });
    await link.getByRole("combobox", { name: "Problem" }).click();
    await page.keyboard.type("loses");
    await link.getByRole("option", { name: problem.number }).click();
    await link.getByRole("button", { name: "Link to problem 3 tickets" }).click();
    await page.getByText("Link to problem: 3 tickets changed").waitFor();
    const { body } = await owner(`GET ${ITSM}/problems/${problem.id}/incidents`);
    expect(body.data.map(({ id }: any) => id).toSorted()).toEqual(
      tickets.map(({ id }) => id).toSorted(),
    );
    const all = [...assigned, "incident.updated", "incident.updated", "incident.linked"];
    expect(await eventsOf(tickets)).toEqual(tickets.map(() => all));
    await page.getByRole("button", { name: "Undo" }).last().click();
    await until(
      async () =>
        (await owner(`GET ${ITSM}/problems/${problem.id}/incidents`)).body.data.length === 0,
    );
    expect(agent.faults).toEqual([]);
  });

  test("after a reply the next shown ticket is opened", async () => {
    const policy = await owner(`POST ${ITSM}/sla-policies`, {
      name: "Answers first",
      entity: "incident",
      conditions: { category: "queue" },
      targets: [
        { metric: "response", minutes: 60 },
        { metric: "resolution", minutes: 6_000 },
      ],
      pauseOn: [],
    });
    expect(policy.status).toBe(201);
    const tickets: any[] = [];
    for (const title of ["Order A", "Order B", "Order C"]) {
      tickets.push(await raise("incidents", title, { category: "queue" }));
      at.world.clock.advance(60_000);
    }
    const numbers = tickets.map(({ number }) => number);
    const queue = async () =>
      (await owner(`GET ${ITSM}/tickets?view=open&q=order`)).body.data.map(
        ({ number }: any) => number,
      );
    const isDue = async () =>
      (await owner(`GET ${ITSM}/tickets?view=open&q=order`)).body.data.every(
        ({ dueMetric }: any) => dueMetric === "response",
      );
    await until(isDue);
    expect(await queue()).toEqual(numbers);
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, "view=open&q=order");
    expect(await rowsOf(page, 3)).toEqual(numbers);
    await page.keyboard.press("j");
    await page.getByRole("region", { name: `Incident ${numbers[0]}` }).waitFor();
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    await page.keyboard.press("r");
    await page.keyboard.type("We look at it.");
    await page.keyboard.press("Control+Enter");
    await until(async () => (await queue())[2] === numbers[0]);
    // The SLA clocks of the response change without an event of their own: the page reloads the list with the next
    // change.
    await owner(`PATCH ${ITSM}/incidents/${numbers[2]}`, { tags: ["seen"] });
    await page.getByText("The order has changed").waitFor();
    expect(await rowsOf(page, 3)).toEqual(numbers);
    await page.keyboard.press("Escape");
    await page.keyboard.press("j");
    await page.getByRole("region", { name: `Incident ${numbers[1]}` }).waitFor();
    expect(await rowsOf(page, 3)).toEqual(numbers);
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("The order has changed").waitFor({ state: "detached" });
    expect(await rowsOf(page, 3)).toEqual([numbers[1], numbers[2], numbers[0]]);
    expect(agent.faults).toEqual([]);
  });

  test("an owner without a team finds tickets without an assignee, and filters them while typing", async () => {
    const team = await owner(`POST ${ITSM}/teams`, { name: "Platform" });
    const [plain, ofTeam, taken] = [
      await raise("incidents", "Lift stops"),
      await raise("incidents", "Lift rattles", { teamId: team.body.data.id }),
      await raise("incidents", "Lift smells", { assigneeId: owner.userId }),
    ];
    const visitor = await at.visit(["owner"]);
    const { page } = visitor;
    await enter(visitor, "view=open");
    const views = page.getByRole("navigation", { name: "Views" });
    const total = async () =>
      (await owner(`GET ${ITSM}/tickets?view=unassigned&limit=1&count=exact`)).body.pagination
        .total;
    await views.getByRole("button", { name: "Unassigned" }).click();
    await views
      .getByRole("button", { name: new RegExp(`^Unassigned.*\\b${await total()}$`) })
      .waitFor();
    const list = page.getByRole("listbox", { name: "Tickets" });
    await list.getByText("Lift stops").waitFor();
    // Text search needs no key, and text that matches no filter shows no list.
    await page.keyboard.press("/");
    await page.keyboard.type("lift");
    expect((await rowsOf(page, 2)).toSorted()).toEqual([plain.number, ofTeam.number].toSorted());
    expect(await page.getByRole("listbox", { name: "Active filters" }).count()).toBe(0);
    expect(await list.getByText(taken.title).count()).toBe(0);
    await page.keyboard.press("Escape");

    // Enter after selecting a view does not click the view again.
    await views.getByRole("button", { name: "Unassigned" }).click();
    await page.keyboard.press("j");
    const panel = page.locator("section.ticket");
    await panel.getByRole("list", { name: "Timeline" }).waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("d");
    expect(await panel.isVisible()).toBe(true);
    expect(new URL(page.url()).searchParams.get("open")).not.toBeNull();
    expect(visitor.faults).toEqual([]);
  });

  test("shows a team change as a single line, and the toast does not cover the composer", async () => {
    const [from, to] = await Promise.all(
      ["First line", "Second line"].map(async (name) => {
        const made = await owner(`POST ${ITSM}/teams`, { name });
        return made.body.data.id as string;
      }),
    );
    const ticket = await raise("incidents", "Door squeaks", { teamId: from });
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, `view=open&open=${ticket.number}`);
    await page.getByRole("list", { name: "Timeline" }).waitFor();
    await page.getByRole("button", { name: /^Team/ }).click();
    await page.getByRole("menuitem", { name: "Second line" }).click();
    const toast = page.locator(".toast");
    await toast.waitFor();
    const [above, below] = await Promise.all([
      toast.last().boundingBox(),
      page.locator(".composer").boundingBox(),
    ]);
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
    await page.getByText("moved it to Second line").waitFor();
    expect(await read(ticket)).toMatchObject({ teamId: to });
    expect(await eventsOf([ticket])).toEqual([["incident.updated", "incident.escalated"]]);
    expect(await page.getByText("escalated the ticket").count()).toBe(0);
    expect(agent.faults).toEqual([]);
  });
});
