import type { Answer, Ask, World } from "#kernel/testing/world.ts";

export const CHANGES = "/api/v1/itsm/changes";

export type Member = Ask & { readonly userId: string };

/** Members who work with changes. */
export interface People {
  readonly owner: Member;
  readonly requester: Member;
  readonly managers: readonly [Member, Member, Member];
}

export async function createPeople(world: World): Promise<People> {
  const manager = () => world.member(["change_manager"]);
  return {
    owner: await world.member(["owner"]),
    requester: await world.member(["agent"]),
    managers: [await manager(), await manager(), await manager()],
  };
}

export async function createChange(ask: Ask, more: object = {}): Promise<any> {
  const { status, body } = await ask(`POST ${CHANGES}`, { title: "Swap the disks", ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

export async function createSubmittedChange(ask: Ask, more: object = {}): Promise<any> {
  const { id } = await createChange(ask, more);
  return (await performAction(ask, id, "submit")).body.data;
}

export function performAction(
  ask: Ask,
  id: string,
  action: string,
  body?: object,
): Promise<Answer> {
  return ask(`POST ${CHANGES}/${id}/${action}`, body);
}

/** Creates a configuration item and resolves to its id. */
export async function createItem(ask: Ask, name: string, itemClass = "server"): Promise<string> {
  const { status, body } = await ask("POST /api/v1/cmdb/items", { name, class: itemClass });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.id;
}

/** Reads the events of a change, oldest first. */
export async function readEvents(world: World, id: string): Promise<any[]> {
  const text = `
    select type, data, resource_number as number from events
     where resource_id = $1 order by epoch, xid, seq`;
  return world.sql(text, [id]);
}
