import type { Answer, Ask, World } from "#kernel/testing/world.ts";

export const CHANGES = "/api/v1/itsm/changes";

export type Member = Ask & { readonly userId: string };

/** People who have to do with changes, in one world. */
export interface People {
  readonly owner: Member;
  readonly requester: Member;
  readonly managers: readonly [Member, Member, Member];
}

/** Somebody of each kind. */
export async function people(world: World): Promise<People> {
  const manager = () => world.member(["change_manager"]);
  return {
    owner: await world.member(["owner"]),
    requester: await world.member(["agent"]),
    managers: [await manager(), await manager(), await manager()],
  };
}

/** Draws up a change; what the API shows of it. */
export async function drafted(ask: Ask, more: object = {}): Promise<any> {
  const { status, body } = await ask(`POST ${CHANGES}`, { title: "Swap the disks", ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data;
}

/** Draws one up and hands it to its approvers. */
export async function submitted(ask: Ask, more: object = {}): Promise<any> {
  const { id } = await drafted(ask, more);
  return (await act(ask, id, "submit")).body.data;
}

/** Something done with a change. */
export function act(ask: Ask, id: string, action: string, body?: object): Promise<Answer> {
  return ask(`POST ${CHANGES}/${id}/${action}`, body);
}

/** A configuration item's id. */
export async function item(ask: Ask, name: string, itemClass = "server"): Promise<string> {
  const { status, body } = await ask("POST /api/v1/cmdb/items", { name, class: itemClass });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.data.id;
}

/** What the log has of a change, oldest first. */
export async function eventsOf(world: World, id: string): Promise<any[]> {
  const text = `
    select type, data, resource_number as number from events
     where resource_id = $1 order by epoch, xid, seq`;
  return world.sql(text, [id]);
}
