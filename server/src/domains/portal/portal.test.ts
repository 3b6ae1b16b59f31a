import { expect, test } from "vitest";
import { until, useWorld } from "#kernel/testing/world.ts";
import { contrast, isReadable, lightenForDark } from "#kernel/html/colour.ts";
import { approvalLinks, buildApprovalPart } from "./links/approval-link.ts";
import { ratingLinks } from "./links/rating-link.ts";
import { setLogo } from "./samples.ts";

const INCIDENTS = "/api/v1/itsm/incidents";
const world = await useWorld({ work: true, env: { MILLRACE_FILE_MAX_MIB: "1" } });
const [owner, agent, ada, ben] = await Promise.all([
  world.member(["owner"]),
  world.member(["agent"]),
  world.member(["requester"]),
  world.member(["requester"]),
]);

async function raise(ask = ada, title = "The printer prints nothing") {
  const { body } = await ask(`POST ${INCIDENTS}`, { title });
  return { id: body.data.id as string, path: `${INCIDENTS}/${body.data.id}` };
}

test("the home page shows open tickets in plain language, with the responsible party and the latest message", async () => {
  const { path, id } = await raise();
  await raise(ben, "Another's matter");
  const item = await owner("POST /api/v1/catalog/items", {
    name: "Laptop",
    form: { type: "object", properties: {} },
    featured: true,
    estimate: "two days",
    keywords: ["notebook"],
    approval: { required: true, approverIds: [ada.userId], rule: "any" },
  });
  await ben("POST /api/v1/catalog/requests", { itemId: item.body.data.id, values: {} });
  const home = async () => (await ada("GET /api/v1/portal/home")).body.data;
  const first = await home();
  expect(first.things).toMatchObject([
    { id, words: "Received", turn: "ours", lastPublicComment: null },
  ]);
  expect(first.approvals).toMatchObject([{ title: "Laptop", requestedForName: "Somebody" }]);
  expect(first.items).toMatchObject([{ name: "Laptop", estimate: "two days" }]);
  await agent(`POST ${path}/comments`, { body: "A secret", internal: true });
  expect((await home()).things[0].turn).toBe("ours");
  await agent(`POST ${path}/comments`, { body: "Is it on?" });
  expect((await home()).things[0]).toMatchObject({
    turn: "yours",
    lastPublicComment: { by: agent.userId, isCaller: false },
  });
  const [listed] = (await ada(`GET ${INCIDENTS}`)).body.data;
  expect(listed).toMatchObject({
    lastPublicComment: { by: agent.userId, isCaller: false },
    promisedAt: null,
  });
  await ada(`POST ${path}/comments`, { body: "It is." });
  expect((await home()).things[0].turn).toBe("ours");
  await agent(`POST ${path}/resolve`, { resolution: "Turned on" });
  expect((await home()).things[0]).toMatchObject({
    words: "Resolved. Please confirm",
    turn: "yours",
  });
  await ada(`POST ${path}/close`);
  expect((await home()).things).toEqual([]);
});

test("search matches the last word by prefix, and only the visitor's own tickets", async () => {
  await raise(ada, "Scanner jams");
  await raise(ben, "Scanner smells");
  const find = async (q: string) =>
    (await ada(`GET /api/v1/portal/search?q=${encodeURIComponent(q)}`)).body.data;
  expect((await find("scan")).things).toMatchObject([{ title: "Scanner jams" }]);
  expect((await find("jams sca")).things).toHaveLength(1);
  expect((await find("notebo")).items).toMatchObject([{ name: "Laptop" }]);
  expect(await find(`'":*&|!(\\`)).toMatchObject({ things: [], items: [] });
});

test("visitors see an outage without details, can report being affected once, and are notified of the resolution", async () => {
  const { body } = await agent(`POST ${INCIDENTS}`, {
    title: "No mail",
    description: "A secret",
    category: "A secret",
  });
  const path = `${INCIDENTS}/${body.data.id}`;
  await agent(`POST ${path}/major`, { reason: "A secret" });
  await agent(`POST ${path}/broadcast`, { message: "Back at noon" });
  const affect = `POST /api/v1/outages/${body.data.id}/affected`;
  const [said, again] = [await ada(affect), await ada(affect)];
  expect([said.status, said.events, again.events]).toEqual([
    200,
    ["incident.affected_reported"],
    [],
  ]);
  const { body: list } = await ben("GET /api/v1/outages");
  expect(list.data).toMatchObject([
    { title: "No mail", message: "Back at noon", state: "ongoing", affected: 1, isAffected: false },
  ]);
  expect(JSON.stringify([list, said.body])).not.toContain("secret");
  expect((await ben(`GET ${path}`)).status).toBe(404);
  await agent(`POST ${path}/resolve`, { resolution: "A secret" });
  const told = async (ask: typeof ada) =>
    (await ask("GET /api/v1/notifications")).body.data.map(({ title }: any) => title);
  await until(async () => (await told(ada)).includes("Resolved: No mail"));
  expect(await told(ben)).not.toContain("Resolved: No mail");
  expect((await ben(affect)).body.code).toBe("outage_over");
});

test("a rating link in an e-mail requires confirmation and rates as the recipient", async () => {
  const { id, path } = await raise();
  const contact = await agent("POST /api/v1/itsm/contacts", {
    name: "Io",
    address: "io@x.example",
  });
  await agent(`PATCH ${path}`, { callerId: contact.body.data.id });
  await agent(`POST ${path}/resolve`, { resolution: "Done" });
  const partition = { workspace: world.home, environment: "production" as const };
  const link = (personId: string) =>
    new URL(ratingLinks(world.kernel, partition, { ticketId: id, personId })[1]?.url ?? "")
      .pathname;
  const url = link(contact.body.data.id);
  const page = await world.stranger(`GET ${url}`);
  expect([page.status, page.headers["content-security-policy"]]).toEqual([
    200,
    expect.stringContaining("default-src 'none'"),
  ]);
  expect((await agent(`GET ${path}`)).body.data.satisfaction).toBe(null);
  const sent = await world.stranger(`POST ${url}`, { satisfaction: "4", comment: "Fine" });
  expect([sent.status, sent.events]).toEqual([200, ["incident.rated"]]);
  expect((await agent(`GET ${path}`)).body.data).toMatchObject({
    satisfaction: 4,
    satisfactionComment: "Fine",
  });
  const { body } = await agent(`GET ${path}/timeline`);
  expect(body.data[0].actor).toMatchObject({ id: contact.body.data.id, name: "Io" });
  // The member who reported it for another person cannot rate it.
  const forged = `${url.slice(0, -1)}${url.endsWith("A") ? "B" : "A"}`;
  for (const wrong of [link(ben.userId), link(ada.userId), forged]) {
    const refused = await world.stranger(`POST ${wrong}`, { satisfaction: "1" });
    expect([refused.status, refused.events]).toEqual([404, []]);
  }
});

test("e-mail approval requires confirmation, works once, and uses the approver's identity", async () => {
  const form = {
    type: "object",
    properties: { choice_2: { title: "Size", oneOf: [{ const: "l", title: "Large" }] } },
  };
  const approval = { required: true, approverIds: [ada.userId], rule: "any" };
  const { body: made } = await owner("POST /api/v1/catalog/items", {
    name: "Screen",
    form,
    approval,
    price: "300 EUR",
  });
  await world.sql("update users set name = 'Ben Brandt' where id = $1", [ben.userId]);
  const asking = { itemId: made.data.id, values: { choice_2: "l" } };
  const { body } = await ben("POST /api/v1/catalog/requests", asking);
  const { id: ticketId } = body.data;
  const partition = { workspace: world.home, environment: "production" as const };
  const linkOf = (personId: string) =>
    new URL(approvalLinks(world.kernel, partition, { ticketId, personId }).approve).pathname;
  const link = linkOf(ada.userId);
  const page = await world.stranger(`GET ${link}`);
  expect([page.status, page.events]).toEqual([200, []]);
  for (const words of ["Ben Brandt", "Screen", body.data.number, "300 EUR", "Size", "Large"]) {
    expect(page.body).toContain(words);
  }
  // The page has the name of the workspace, and the fields have their titles.
  expect(page.body).not.toMatch(/Millrace<\/header>|choice_2/);
  const part = await buildApprovalPart(world.kernel, {
    partition,
    ticket: { ...body.data, kind: "request" },
    eventType: "request.approval_requested",
    recipientId: ada.userId,
  });
  expect(part?.text).toMatch(
    /^Ben Brandt requests Screen\.\nPrice: 300 EUR\nSize: Large\n\nDo you approve it\?/,
  );
  expect(part?.links.map(({ label }) => label)).toEqual(["Approve", "Reject"]);
  await until(async () => {
    const { body: told } = await ada("GET /api/v1/notifications");
    return told.data.some(({ body: text }: any) => text.includes("Size: Large"));
  });
  const decide = (url: string, decision: string, reason = "") =>
    world.stranger(`POST ${url}`, { decision, reason });
  expect(await decide(link, "reject")).toMatchObject({ status: 422, events: [] });
  expect(await decide(linkOf(ben.userId), "approve")).toMatchObject({ status: 403, events: [] });
  const forged = `${link.slice(0, -1)}${link.endsWith("A") ? "B" : "A"}`;
  expect((await decide(forged, "approve")).status).toBe(404);
  // An e-mail link is not enough for a person with a second factor.
  const enrol = "update users set mfa_enrolled = $2 where id = $1";
  await world.sql(enrol, [ada.userId, true]);
  expect((await world.stranger(`GET ${link}`)).status).toBe(404);
  expect(await decide(link, "approve")).toMatchObject({ status: 404, events: [] });
  await world.sql(enrol, [ada.userId, false]);
  const agreed = await decide(link, "approve", "In the budget");
  expect(agreed).toMatchObject({
    status: 200,
    events: ["request.approved", "request.fulfilment_started"],
  });
  const { body: timeline } = await agent(`GET /api/v1/catalog/requests/${ticketId}/timeline`);
  expect(timeline.data[0].actor).toMatchObject({ type: "user", id: ada.userId });
  expect((await decide(link, "approve")).status).toBe(409);
});

test("shows the request number, answers with form titles, and approvers", async () => {
  const form = {
    type: "object",
    properties: {
      system: { type: "string", title: "System" },
      choice: { type: "string", title: "Reason" },
      date: { type: "string", title: "Until when" },
    },
  };
  await world.sql("update users set name = 'Ada Arndt' where id = $1", [ada.userId]);
  const item = await owner("POST /api/v1/catalog/items", {
    name: "Access",
    form,
    approval: { required: true, approverIds: [ada.userId], rule: "any" },
  });
  const values = { date: "2026-12-31", choice: "Temporary", system: "ERP" };
  const asked = await ben("POST /api/v1/catalog/requests", { itemId: item.body.data.id, values });
  const { number, id } = asked.body.data;
  const page = String((await ben(`GET /portal/default/tickets/${number}`)).body);
  expect(page).toContain(`<span class="number">${number}</span>`);
  expect(page).toMatch(/Waiting for approval by Ada Arndt since <time/);
  expect(page.match(/<dt>[^<]*<\/dt><dd>[^<]*<\/dd>/g)).toEqual([
    "<dt>System</dt><dd>ERP</dd>",
    "<dt>Reason</dt><dd>Temporary</dd>",
    "<dt>Until when</dt><dd>2026-12-31</dd>",
  ]);
  const home = String((await ada("GET /portal/default")).body);
  expect(home).toContain("<dt>System</dt><dd>ERP</dd>");
  await ada(`POST /api/v1/catalog/requests/${id}/approve`, { comment: "In the budget" });
  const approved = String((await ben(`GET /portal/default/tickets/${number}`)).body);
  expect(approved).toMatch(/approved the request: In the budget/);
});

test("portals support a custom appearance with readable colors", async () => {
  const pale = await owner("PATCH /api/v1/portal/settings", { accent: "#ffcc00" });
  expect([pale.status, pale.body.errors[0].path]).toEqual([422, "/accent"]);
  const logoFileId = await setLogo(world, owner.token ?? "");
  const set = await owner("PATCH /api/v1/portal/settings", {
    title: "Help",
    accent: "#0B5D4D",
    logoFileId,
  });
  expect([set.status, set.events]).toEqual([200, ["portal_settings.updated"]]);
  const { look } = (await ada("GET /api/v1/portal/home")).body.data;
  expect(look).toMatchObject({ title: "Help", accent: "#0b5d4d" });
  expect((await ada("GET /api/v1/portal/logo")).headers["content-type"]).toBe("image/png");
  expect((await ada("PATCH /api/v1/portal/settings", { title: "Mine" })).status).toBe(403);
  for (const colour of ["#000000", "#0b5d4d", "#1f2937", "#b00020", "#5b21b6"]) {
    expect(isReadable(colour)).toBe(true);
    expect(contrast(lightenForDark(colour), "#15171c")).toBeGreaterThanOrEqual(4.5);
  }
});

test("without scripts, forms are sent with files, and errors appear at their fields", async () => {
  const form = {
    type: "object",
    required: ["why"],
    properties: { why: { type: "string", title: "Why?", minLength: 3 } },
  };
  const { body: made } = await owner("POST /api/v1/catalog/items", {
    name: "Desk",
    form,
    approval: { required: true, approverIds: [ada.userId], rule: "any" },
  });
  const post = async (by: { readonly token: string }, path: string, fields: Fields) => {
    const sent = toMultipart(fields);
    const answer = await world.app.inject({
      method: "POST",
      url: `/portal/default${path}`,
      headers: { authorization: `Bearer ${by.token}`, "content-type": sent.type },
      payload: sent.body,
    });
    return { status: answer.statusCode, to: String(answer.headers["location"]), page: answer.body };
  };
  const key = "a-key-of-the-form";
  const broken = { "/title": "It smells", "/files": { name: "smell.txt", text: "burnt" }, key };
  const raised = await post(ben, "/broken", broken);
  expect(raised).toMatchObject({ status: 303, to: expect.stringMatching(/\/tickets\/INC\d+$/) });
  // A second submit finds the result of the first one.
  expect((await post(ben, "/broken", broken)).to).toBe(raised.to);
  const number = raised.to.split("/").at(-1) ?? "";
  const ticket = `${INCIDENTS}/${number}`;
  const { body: attached } = await agent(`GET ${ticket}/attachments`);
  expect(attached.data[0]).toMatchObject({ name: "smell.txt" });
  // A file rejected afterwards is reported on the page of the ticket, which accepts another; there is only one
  // ticket.
  const openOnes = async () => (await agent(`GET ${INCIDENTS}?limit=100`)).body.data.length;
  const before = await openOnes();
  const gone = "fil_01jzt3n5k8q2x4v6w8y0z2b4d6";
  const without = await post(ben, "/broken", {
    "/title": "No file",
    "/files": gone,
    key: `${key}2`,
  });
  expect([without.status, await openOnes()]).toEqual([422, before + 1]);
  expect(without.page).toMatch(/INC\d+ was sent, but some files were refused/);
  expect(without.page).toContain('name="files"');
  // If a file cannot be stored, nothing is created: the form shows the entered values and the error.
  const large = { name: "large.txt", text: "x".repeat(1_048_577) };
  const refused = await post(ben, "/broken", { "/title": "Kept title", "/files": large });
  expect([refused.status, await openOnes()]).toEqual([422, before + 1]);
  expect(refused.page).toContain("Kept title");
  expect(refused.page).toMatch(/-error">The file large\.txt was refused\. [^<]+</);
  const answered = await post(ben, `/tickets/${number}`, {
    act: "comment",
    body: "With a picture",
    files: large,
  });
  expect(answered.status).toBe(422);
  expect(answered.page).toContain("With a picture");
  expect((await agent(`GET ${ticket}/comments`)).body.data).toEqual([]);
  const empty = await post(ben, "/broken", { "/title": "", "/description": "Kept <words>" });
  expect(empty.status).toBe(422);
  expect(empty.page).toMatch(/Kept &[^;]+;words&[^;]+;/);
  expect(empty.page).toContain('aria-invalid="true"');

  const item = `/ask/${made.data.id}`;
  const wrong = await post(ben, item, { "/why": "x" });
  expect(wrong.status).toBe(422);
  expect(wrong.page).toMatch(/why-error">Why\? [^<]+</);
  const asked = await post(ben, item, { "/why": "Mine broke", "/other": "no field" });
  const request = asked.to.split("/").at(-1) ?? "";
  const requestPath = `/api/v1/catalog/requests/${request}`;
  expect((await owner(`GET ${requestPath}`)).body.data.values).toEqual({ why: "Mine broke" });
  const { id } = (await owner(`GET ${requestPath}`)).body.data;
  expect((await post(ben, "", { act: "approve", id })).status).toBe(403);
  expect((await post(ada, "", { act: "approve", id })).status).toBe(303);
  expect((await owner(`GET ${requestPath}`)).body.data.state).not.toBe("awaiting_approval");
  const again = (await post(ben, item, { "/why": "Again" })).to.split("/").at(-1) ?? "";
  // The approvers were reminded just now.
  expect((await post(ben, `/tickets/${again}`, { act: "remind" })).status).toBe(409);
  expect((await post(ada, `/tickets/${again}`, { act: "withdraw" })).status).toBe(403);
  expect((await post(ben, `/tickets/${again}`, { act: "withdraw" })).status).toBe(303);
  const taken = await owner(`GET /api/v1/catalog/requests/${again}`);
  expect(taken.body.data.state).toBe("cancelled");

  const page = `/tickets/${number}`;
  expect((await post(ben, page, { act: "comment", body: "And smokes" })).status).toBe(303);
  expect((await post(ada, page, { act: "comment", body: "Not mine" })).status).toBe(404);
  await agent(`POST ${ticket}/resolve`, { resolution: "Aired" });
  expect((await post(ben, page, { act: "reopen" })).status).toBe(422);
  expect((await post(ben, page, { act: "confirm" })).status).toBe(303);
  expect((await post(ben, page, { act: "rate", satisfaction: "4" })).status).toBe(303);
  expect((await agent(`GET ${ticket}`)).body.data).toMatchObject({
    state: "closed",
    satisfaction: 4,
  });
  // Another site cannot submit it: a cookie is accepted only with this server's origin.
  const foreign = await world.app.inject({
    method: "POST",
    url: "/portal/default/broken",
    headers: {
      cookie: `millrace_session=${ben.token}`,
      origin: "https://elsewhere.example",
      "content-type": "application/x-www-form-urlencoded",
    },
    payload: "%2Ftitle=Forged",
  });
  expect(foreign.statusCode).toBe(403);
});

type Fields = Readonly<Record<string, string | { readonly name: string; readonly text: string }>>;

function toMultipart(fields: Fields) {
  const parts = Object.entries(fields).map(([name, value]) => {
    const [file, text] =
      typeof value === "string" ? ["", value] : [`; filename="${value.name}"`, value.text];
    return `--edge\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n${text}\r\n`;
  });
  return { type: "multipart/form-data; boundary=edge", body: `${parts.join("")}--edge--\r\n` };
}

test("notifies a page only of outages and changes visible to the visitor", async () => {
  const { path } = await raise(ada, "Heard by its caller");
  const heard = async (by: typeof ada, limit: number) => {
    const query = new URLSearchParams({ after: begin, limit: String(limit) });
    const { body } = await by(`GET /api/v1/portal/stream?${query}`);
    return String(body);
  };
  const { body: now } = await owner("GET /api/v1/audit?limit=1");
  const begin: string = now.data[0].id;
  await agent(`POST ${path}/comments`, { body: "For all to read" });
  const { body: major } = await owner(`POST ${INCIDENTS}`, { title: "All is down" });
  await owner(`POST ${INCIDENTS}/${major.data.id}/major`, { reason: "All of it" });
  await world.settled();
  const [own, others] = [await heard(ada, 2), await heard(ben, 1)];
  expect(own.match(/event: changed/g)).toHaveLength(2);
  expect(others.match(/event: changed/g)).toHaveLength(1);
  expect(`${own}${others}`).not.toMatch(/For all|All is down|inc_/);
});
