import { beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "#kernel/testing/browser.ts";
import { type Ask, until } from "#kernel/testing/world.ts";
import { expectSound, useConsole, type Visitor } from "./testing.ts";

const ITSM = "/api/v1/itsm";

describeInBrowser("tickets that belong together", () => {
  const at = useConsole();

  let owner: Ask;
  beforeAll(async () => {
    owner = await at.world.member(["owner"]);
  });

  const raise = async (plural: string, title: string, more: object = {}): Promise<any> => {
    const made = await owner(`POST ${ITSM}/${plural}`, { title, ...more });
    expect(made.status).toBe(201);
    return made.body.data;
  };
  const linksOf = async (plural: string, number: string): Promise<any[]> =>
    (await owner(`GET ${ITSM}/${plural}/${number}/links`)).body.data;
  const enter = async ({ page }: Visitor, number: string): Promise<void> => {
    await page.goto(`${at.origin}/desk?view=open&open=${number}`);
    await page.getByRole("list", { name: "Timeline" }).waitFor();
  };

  test("links tickets by number, by text search, and from the linked ticket", async () => {
    const incident = await raise("incidents", "Mail is slow");
    const problem = await raise("problems", "Gateway drops connections");
    const change = await raise("changes", "Replace the gateway");
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, incident.number);
    const link = async (words: string, relation: string) => {
      await page.getByRole("button", { name: "Link ticket" }).click();
      const form = page.getByRole("group", { name: "Link ticket" });
      // Opening moves the focus to the first field.
      await form.locator("select:focus").waitFor();
      await form.getByLabel("Relation").selectOption({ label: relation });
      const field = form.getByRole("combobox", { name: "Ticket" });
      expect(await field.inputValue()).toBe("");
      await field.click();
      await page.keyboard.type(words);
      await form.locator("[role=option]").first().waitFor();
      await page.keyboard.press("Enter");
      await form.getByRole("button", { name: "Link", exact: true }).click();
      await page.getByText("Ticket linked").last().waitFor();
    };
    await link(problem.number, "Caused by");
    await until(async () => (await linksOf("incidents", incident.number)).length === 1);
    expect(await linksOf("incidents", incident.number)).toMatchObject([
      { type: "caused_by", direction: "out", ticket: { id: problem.id } },
    ]);
    const { body } = await owner(`GET ${ITSM}/problems/${problem.number}/incidents`);
    expect(body.data).toMatchObject([{ id: incident.id }]);

    await enter(agent, problem.number);
    await link("replace the gate", "Fixed by");
    await until(async () => (await linksOf("changes", change.number)).length === 1);
    expect(await linksOf("changes", change.number)).toMatchObject([
      { type: "fixed_by", direction: "in", ticket: { id: problem.id } },
    ]);
    await expectSound(agent);
    expect(agent.faults).toEqual([]);
  });

  test("an incident is linked to a problem by the name of its caller, and nothing is preselected", async () => {
    const contact = await owner(`POST ${ITSM}/contacts`, { name: "Ludmilla Orff", phone: "0800" });
    const incident = await raise("incidents", "No tone", { callerId: contact.body.data.id });
    const problem = await raise("problems", "The exchange restarts");
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await page.goto(`${at.origin}/problems/${problem.number}`);
    await page.getByRole("button", { name: "Link incident" }).click();
    const dialog = page.getByRole("dialog", { name: "Link incident" });
    const field = dialog.getByRole("combobox", { name: "Incident" });
    expect(await field.inputValue()).toBe("");
    await dialog.getByRole("button", { name: "Link", exact: true }).click();
    await dialog.getByText("Incident is required").waitFor();
    await field.click();
    await page.keyboard.type("ludmilla");
    await dialog.getByRole("option", { name: incident.number }).click();
    await dialog.getByRole("button", { name: "Link", exact: true }).click();
    await page.locator("a.problem-line", { hasText: incident.number }).waitFor();
    await dialog.waitFor({ state: "detached" });
    const { body } = await owner(`GET ${ITSM}/problems/${problem.number}/incidents`);
    expect(body.data).toMatchObject([{ id: incident.id }]);
    expect(agent.faults).toEqual([]);
  });

  test("an unknown caller is created with the ticket, and found by name the next time", async () => {
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await page.goto(`${at.origin}/desk?view=open`);
    await page.getByRole("button", { name: "Create ticket" }).click();
    const dialog = page.getByRole("dialog", { name: "New incident" });
    await dialog.getByRole("combobox", { name: "Caller" }).click();
    await page.keyboard.type("Wilma Zett");
    await dialog.getByRole("option", { name: "Create contact “Wilma Zett”" }).click();
    await dialog.getByRole("textbox", { name: "Phone" }).fill("+41 44 555 01 02");
    await dialog.getByRole("textbox", { name: "Title" }).fill("The lamp flickers");
    await dialog.getByRole("combobox", { name: "Category" }).fill("Lights");
    await dialog
      .getByLabel("Files")
      .setInputFiles({ name: "lamp.txt", mimeType: "text/plain", buffer: Buffer.from("flick") });
    await dialog.getByText("lamp.txt").waitFor();
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.waitFor({ state: "detached" });
    const contacts = (await owner(`GET ${ITSM}/contacts?q=wilma`)).body.data;
    expect(contacts).toMatchObject([{ name: "Wilma Zett", phone: "+41 44 555 01 02" }]);
    const tickets = (await owner(`GET ${ITSM}/tickets?q=wilma`)).body.data;
    expect(tickets).toMatchObject([{ title: "The lamp flickers", callerId: contacts[0].id }]);
    const path = `${ITSM}/incidents/${tickets[0].id}`;
    expect((await owner(`GET ${path}`)).body.data).toMatchObject({ category: "Lights" });
    await until(async () => (await owner(`GET ${path}/attachments`)).body.data.length === 1);

    // Text without a selection does not silently become the agent.
    await page.getByRole("button", { name: "Create ticket" }).click();
    await dialog.getByRole("combobox", { name: "Caller" }).click();
    await page.keyboard.type("Nobody Known");
    await dialog.getByRole("textbox", { name: "Title" }).click();
    expect(await dialog.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Nobody Known");

    // Errors of the contact are shown at its fields, and nothing typed is lost.
    const address = dialog.getByRole("textbox", { name: "E-mail" });
    await address.fill("no address");
    await page.keyboard.press("Control+Enter");
    await dialog.getByText("Title is required.").waitFor();
    await dialog.getByRole("textbox", { name: "Title" }).fill("The door squeaks");
    await page.keyboard.press("Control+Enter");
    await dialog.getByText(/^E-mail .*form/).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Keep editing" }).click();
    await address.fill("nobody@known.example");
    await page.keyboard.press("Control+Enter");
    await dialog.waitFor({ state: "detached" });
    const squeaking = (await owner(`GET ${ITSM}/tickets?q=squeaks`)).body.data;
    const known = (await owner(`GET ${ITSM}/contacts?q=nobody`)).body.data;
    expect(squeaking).toMatchObject([{ title: "The door squeaks", callerId: known[0].id }]);
    expect(known).toHaveLength(1);
    expect(agent.faults).toEqual([]);
  });

  test("edits ticket title, category, caller and items in a single dialog", async () => {
    const contact = await owner(`POST ${ITSM}/contacts`, { name: "Otto Krug", phone: "0801" });
    const item = await owner("POST /api/v1/cmdb/items", { name: "Mixer 7", class: "server" });
    expect(item.status).toBe(201);
    const { number } = await raise("incidents", "Old title");
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, number);
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Edit…" }).click();
    const dialog = page.getByRole("dialog", { name: `Edit incident ${number}` });
    await dialog.getByRole("textbox", { name: "Title" }).fill("New title");
    await dialog.getByRole("combobox", { name: "Category" }).fill("Kitchen");
    await dialog.getByRole("combobox", { name: "Caller" }).click();
    await page.keyboard.type("otto");
    await dialog.getByRole("option", { name: "Otto Krug" }).click();
    await dialog.getByRole("combobox", { name: "Affected items" }).click();
    await page.keyboard.type("mixer");
    await dialog.getByRole("option", { name: "Mixer 7" }).click();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    expect((await owner(`GET ${ITSM}/incidents/${number}`)).body.data).toMatchObject({
      title: "New title",
      category: "Kitchen",
      callerId: contact.body.data.id,
      ciIds: [item.body.data.id],
    });
    expect(agent.faults).toEqual([]);
  });

  test("custom fields keep what is typed while a colleague changes others, and a tag is added with the keyboard", async () => {
    const fields = ["Floor", "Room"].map((name) => ({
      key: name.toLowerCase(),
      name,
      type: "text",
    }));
    expect((await owner(`PATCH ${ITSM}/kinds/problem`, { fields })).status).toBe(200);
    const { number } = await raise("problems", "Draught", { fields: { floor: "1", room: "A" } });
    const problem = `${ITSM}/problems/${number}`;
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, number);
    const own = page.getByRole("form", { name: "More" });
    const [floor, room] = ["Floor", "Room"].map((name) => own.getByRole("textbox", { name }));
    await floor!.fill("2");
    await owner(`PATCH ${problem}`, { fields: { room: "B" } });
    await expect.poll(() => room!.inputValue()).toBe("B");
    expect(await floor!.inputValue()).toBe("2");
    await floor!.press("Control+Enter");
    await page.getByText(`${number} saved`).waitFor();
    await own.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Add tag" }).click();
    await page.getByRole("combobox", { name: "Tag" }).fill("Cold");
    // The first Enter takes the text of the field, the second sends the form.
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.getByText(`${number}: tag added`).waitFor();
    expect((await owner(`GET ${problem}`)).body.data).toMatchObject({
      fields: { floor: "2", room: "B" },
      tags: ["cold"],
    });
    expect(agent.faults).toEqual([]);
  });

  test("merges a duplicate into a ticket from text search and shows the merge on both tickets", async () => {
    const [stays, goes] = [
      await raise("incidents", "Scanner shows E-17"),
      await raise("incidents", "Dock scanner dead", { description: "It beeps twice." }),
    ];
    await owner(`POST ${ITSM}/incidents/${goes.id}/attachments`, {
      name: "photo.txt",
      content: "E-17",
    });
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await enter(agent, goes.number);
    await page.keyboard.press("m");
    const dialog = page.getByRole("dialog", { name: `Merge ${goes.number} into…` });
    await dialog.getByRole("combobox", { name: "Merge into" }).click();
    await page.keyboard.type("shows e-17");
    await dialog.getByRole("option", { name: stays.number }).click();
    await dialog.getByRole("button", { name: "Merge" }).click();
    await page.getByRole("link", { name: `Merged into ${stays.number}` }).waitFor();
    await page.getByText(`merged this ticket into ${stays.number}`).waitFor();
    expect((await owner(`GET ${ITSM}/incidents/${goes.number}`)).body.data).toMatchObject({
      state: "cancelled",
      mergedIntoId: stays.id,
    });
    await page.getByRole("link", { name: `Merged into ${stays.number}` }).click();
    await page.getByText(`merged ${goes.number} into this ticket`).waitFor();
    await page.getByText("It beeps twice.").waitFor();
    await page.getByText("photo.txt").waitFor();
    expect(agent.faults).toEqual([]);
  });

  test("several selected tickets are merged into the oldest or a chosen one, with the keyboard", async () => {
    const made = [
      await raise("incidents", "Fax A"),
      await raise("incidents", "Fax B"),
      await raise("incidents", "Fax C"),
    ];
    const agent = await at.visit(["agent"]);
    const { page } = agent;
    await page.goto(`${at.origin}/desk?view=open&q=fax`);
    await page.getByRole("listbox", { name: "Tickets" }).getByText("Fax A").waitFor();
    await page.keyboard.press("Control+a");
    await page.getByRole("toolbar", { name: "Selected tickets" }).waitFor();
    await page.keyboard.press("m");
    const dialog = page.getByRole("dialog", { name: "Merge 3 tickets" });
    expect(await dialog.getByRole("radio", { name: "Fax A" }).isChecked()).toBe(true);
    await page.keyboard.press("ArrowDown");
    expect(await dialog.getByRole("radio", { name: "Fax B" }).isChecked()).toBe(true);
    await page.keyboard.press("Control+Enter");
    await dialog.waitFor({ state: "detached" });
    const merged = await Promise.all(
      made.map(
        async ({ id }) => (await owner(`GET ${ITSM}/incidents/${id}`)).body.data.mergedIntoId,
      ),
    );
    expect(merged).toEqual([made[1].id, null, made[1].id]);
    expect(agent.faults).toEqual([]);
  });
});
