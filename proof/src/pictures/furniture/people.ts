/** The employees of Nordwind, a furniture shop with offices in Oslo and Lisbon. */
import type { House, Member } from "../house.ts";
import { change, make } from "./made.ts";

/** Agents, builders and requesters. */
export interface People {
  readonly mara: Member;
  readonly tomas: Member;
  readonly aiko: Member;
  readonly elif: Member;
  readonly bram: Member;
  readonly noah: Member;
  readonly clara: Member;
  readonly priya: Member;
  readonly teams: { readonly network: string; readonly desk: string; readonly platform: string };
}

export async function gather(house: House): Promise<People> {
  await change(house.owner, "PATCH auth/me", { name: "Helen Voss" });
  await change(house.owner, "PATCH workspaces/default", { name: "Nordwind" });
  const people = {
    mara: await house.invite("Mara Lindqvist", ["agent", "change_manager"]),
    tomas: await house.invite("Tomás Ferreira", ["agent"]),
    aiko: await house.invite("Aiko Tanaka", ["agent"]),
    elif: await house.invite("Elif Demir", ["agent", "builder"]),
    bram: await house.invite("Bram de Vries", ["builder"]),
    noah: await house.invite("Noah Okafor", ["requester"]),
    clara: await house.invite("Clara Rossi", ["requester"]),
    priya: await house.invite("Priya Raman", ["requester"]),
  };
  const { mara, tomas, aiko, elif } = people;
  const team = async (name: string, members: readonly Member[]) => {
    const memberIds = members.map(({ id }) => id);
    return (await make(house.owner, "itsm/teams", { name, memberIds })).id;
  };
  return {
    ...people,
    teams: {
      desk: await team("Service desk", [mara, aiko, tomas]),
      network: await team("Network", [tomas, mara, elif]),
      platform: await team("Platform", [elif, aiko]),
    },
  };
}
