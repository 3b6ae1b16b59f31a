import { expect, test } from "vitest";
import { until, useFixture, useWorld } from "#kernel/testing/world.ts";
import { startReceiver } from "./testing/receiver.ts";

const receiver = await useFixture(startReceiver());
const world = await useWorld({ work: true, env: receiver.env });

const HOOKS = "/api/v1/webhooks";

test("owners and admins are notified of an automatic pause, but not of a manual one", async () => {
  const place = await world.workspace("noticed");
  const [owner, admin, builder] = [
    await world.member(["owner"], place),
    await world.member(["admin"], place),
    await world.member(["builder"], place),
  ];
  const made = async (name: string, path: string) => {
    const draft = { name, url: `${receiver.url}/${path}`, events: ["note.*"], retries: 0 };
    return (await builder(`POST ${HOOKS}`, draft)).body.data.id as string;
  };
  receiver.answer = ({ path }, response) =>
    response.writeHead(path === "/gone" ? 410 : path === "/broken" ? 500 : 200).end();
  await builder(`PATCH ${HOOKS}/${await made("By hand", "well")}`, { status: "paused" });
  await made("Gone", "gone");
  await made("Broken", "broken");
  for (let index = 0; index < 5; index += 1) {
    const note = { title: `Note ${index}`, body: "" };
    expect((await owner("POST /api/v1/notes", note)).status).toBe(201);
  }
  for (const ask of [owner, admin]) {
    const told = await until(async () => {
      const { body } = await ask("GET /api/v1/notifications");
      return body.data.length >= 2 && body.data;
    });
    const titles = told.map(({ title }: any) => title).toSorted();
    expect(titles).toEqual(["The webhook Broken was paused", "The webhook Gone was paused"]);
    expect(told.map(({ body }: any) => body).toSorted()).toEqual([
      `Deliveries to ${receiver.url}/broken failed 5 times in a row.`,
      `Its endpoint ${receiver.url}/gone answered that it is gone (410).`,
    ]);
  }
  expect((await builder("GET /api/v1/notifications")).body.data).toEqual([]);
});
