/** Macros and text modules in packs. Teams are referenced by name, because ids differ between workspaces. */
import Type, { type Static } from "typebox";
import type { Tx } from "#kernel/db/connection.ts";
import { queryRows } from "#kernel/db/statement.ts";
import { invalidField, invalidInput } from "#kernel/operation/failure.ts";
import { resourcePack } from "#kernel/resource/pack.ts";
import { line, object } from "#kernel/schema/schema.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { macros, STEPS_MAX } from "./macro.ts";
import { textModules } from "./text-module.ts";

const Team = Type.Optional(line(200, "Name of the team that can use it. Default: all teams"));

const { teamId: _, ...textModuleFields } = textModules.declaration.input.properties;

export const textModuleContent = resourcePack(textModules, {
  environmentScoped: false,
  schema: object({ ...textModuleFields, team: Team }, { title: "PackTextModule" }),
  toInput: async ({ tx }, { team, ...fields }) => ({
    ...(fields as Static<typeof textModules.declaration.input>),
    teamId: await findTeamId(tx, team),
  }),
  toSource: async ({ tx }, { teamId, ...fields }) => ({
    ...fields,
    team: await findTeamName(tx, teamId),
  }),
});

const { teamId: __, steps: ___, ...macroFields } = macros.declaration.input.properties;
const macroInput = new Validator(macros.declaration.input, "body");

export const macroContent = resourcePack(macros, {
  after: ["text_modules"],
  environmentScoped: false,
  schema: object(
    {
      ...macroFields,
      team: Team,
      // Steps are validated later because they can reference text modules of the pack by name.
      steps: Type.Array(Type.Unknown(), { minItems: 1, maxItems: STEPS_MAX }),
    },
    { title: "PackMacro" },
  ),
  async toInput({ tx }, { team, ...fields }) {
    const checked = macroInput.check({ ...fields, teamId: await findTeamId(tx, team) });
    if ("errors" in checked) throw invalidInput(checked.errors);
    // Validated by its schema.
    return checked.value as Static<typeof macros.declaration.input>;
  },
  toSource: async ({ tx }, { teamId, ...fields }) => ({
    ...fields,
    team: await findTeamName(tx, teamId),
  }),
});

async function findTeamId(tx: Tx, name: string | undefined): Promise<string | null> {
  if (name === undefined) return null;
  const [team] = await queryRows(tx, "select id from teams where name = $1 limit 1", [name]);
  if (!team) throw invalidField("/team", "is not a team of this workspace");
  return String(team["id"]);
}

async function findTeamName(tx: Tx, id: string | null): Promise<string | undefined> {
  if (id === null) return undefined;
  const [team] = await queryRows(tx, "select name from teams where id = $1", [id]);
  return team && String(team["name"]);
}
