/** Actions on a workflow in the list. */
import { call, type Input } from "../../data/api.ts";
import { perform } from "../../data/use-command.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { parseImported } from "./definition-file.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Creates an undeployed draft with the same steps. */
export async function duplicate({ id, name }: Named): Promise<string | undefined> {
  const read = await perform("workflows.get", { params: { id } });
  if (!read) return undefined;
  const body = {
    ...parseImported(JSON.stringify(read.data)),
    name: `${name} (copy)`,
    trigger: withoutAddress(read.data.trigger),
  };
  const made = await perform("workflows.create", { body } as unknown as Input<"workflows.create">, {
    said: `${name} duplicated.`,
  });
  return made?.data.id;
}

/** A webhook address belongs to one workflow, so a copy does not have it. */
function withoutAddress(trigger: object): object {
  const { url: _url, ...rest } = trigger as Record<string, unknown>;
  return rest;
}

export async function copyAsJson({ id, name }: Named): Promise<void> {
  const read = await perform("workflows.get", { params: { id } });
  if (read) await copyText(JSON.stringify(read.data, null, 2), `The JSON of ${name} is`);
}

export const archive = ({ id, name }: Named): Promise<unknown> =>
  perform(
    "workflows.archive",
    { params: { id } },
    {
      said: `${name} archived. Its triggers are off.`,
      undo: () => call("workflows.unarchive", { params: { id } }),
    },
  );

export const unarchive = ({ id, name }: Named): Promise<unknown> =>
  perform(
    "workflows.unarchive",
    { params: { id } },
    {
      said: `${name} restored as a draft.`,
      undo: () => call("workflows.archive", { params: { id } }),
    },
  );
