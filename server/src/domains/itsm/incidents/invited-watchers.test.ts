import { expect, test } from "vitest";
import { useWorld } from "#kernel/testing/world.ts";

const world = await useWorld();
const agent = await world.member(["agent"]);
const INCIDENTS = "/api/v1/itsm/incidents";

async function makeIncident(): Promise<string> {
  const { body } = await agent(`POST ${INCIDENTS}`, { title: "The printer is on fire" });
  return `${INCIDENTS}/${body.data.id}`;
}
const comment = { body: "I have been here" };
const attachment = { name: "note.txt", content: "I have been here" };

test("watching an incident does not allow read-only members to comment or attach files", async () => {
  const path = await makeIncident();
  const auditor = await world.member(["auditor"]);
  expect((await auditor(`POST ${path}/comments`, comment)).status).toBe(403);
  expect((await auditor(`POST ${path}/watchers`)).status).toBe(201);
  for (const [part, body] of [
    ["comments", comment],
    ["attachments", attachment],
  ] as const) {
    const refused = await auditor(`POST ${path}/${part}`, body);
    expect([part, refused.status, refused.events]).toEqual([part, 403, []]);
  }
  expect((await agent(`GET ${path}/comments`)).body.data).toEqual([]);
  // An agent invites the watcher.
  const invited = await agent(`POST ${path}/watchers`, { userId: auditor.userId });
  expect([invited.status, invited.events]).toEqual([201, ["incident.watcher_added"]]);
  expect((await auditor(`POST ${path}/comments`, comment)).status).toBe(201);
  expect((await auditor(`POST ${path}/attachments`, attachment)).status).toBe(201);
  // Watching again keeps the invitation.
  await auditor(`POST ${path}/watchers`);
  expect((await auditor(`POST ${path}/comments`, comment)).status).toBe(201);
});

test("members who lose the read permission do not see incidents that they chose to watch", async () => {
  const [chosen, invited] = [await makeIncident(), await makeIncident()];
  const person = await world.member(["requester", "viewer"]);
  await person(`POST ${chosen}/watchers`);
  await agent(`POST ${invited}/watchers`, { userId: person.userId });
  const owner = await world.member(["owner"]);
  const roles = await owner("GET /api/v1/settings/roles?limit=100");
  const viewer = roles.body.data.find(({ name }: { name: string }) => name === "viewer");
  const lost = await owner(`DELETE /api/v1/settings/users/${person.userId}/roles/${viewer.id}`);
  expect(lost.status).toBe(200);
  expect((await person(`GET ${chosen}`)).status).toBe(404);
  expect((await person(`GET ${invited}`)).status).toBe(200);
  const listed = (await person(`GET ${INCIDENTS}`)).body.data;
  expect(listed.map(({ id }: { id: string }) => `${INCIDENTS}/${id}`)).toEqual([invited]);
});

test("a merge moves only the invitations of watchers", async () => {
  const [source, target] = [await makeIncident(), await makeIncident()];
  const [auditor, guest] = [await world.member(["auditor"]), await world.member(["auditor"])];
  await auditor(`POST ${source}/watchers`);
  await agent(`POST ${source}/watchers`, { userId: guest.userId });
  const intoId = target.slice(INCIDENTS.length + 1);
  expect((await agent(`POST ${source}/merge`, { intoId })).status).toBe(200);
  expect((await auditor(`POST ${target}/comments`, comment)).status).toBe(403);
  expect((await guest(`POST ${target}/comments`, comment)).status).toBe(201);
});
