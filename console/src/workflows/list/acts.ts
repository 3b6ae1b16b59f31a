/** Acts on a workflow of the list. */
import { call, type Input } from "../../data/api.ts";
import { applyChange } from "../../data/change.ts";
import { copyText } from "../../ui/behaviour/copy.ts";
import { notify, notifyError } from "../../ui/toast.tsx";
import { parseImported } from "./definition-file.ts";

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A draft with the same steps, published nowhere. */
export async function duplicate({ id, name }: Named): Promise<string | undefined> {
  try {
    const { data } = await call("workflows.get", { params: { id } });
    const definition = parseImported(JSON.stringify(data));
    const body = {
      ...definition,
      name: `${name} (copy)`,
      trigger: withoutAddress(data.trigger),
    };
    const made = await call("workflows.create", { body } as unknown as Input<"workflows.create">);
    notify(`${name} was copied.`);
    return made.data.id;
  } catch (error) {
    notifyError(error);
    return undefined;
  }
}

/** The address of a webhook is its own workflow's. */
function withoutAddress(trigger: object): object {
  const { url: _url, ...rest } = trigger as Record<string, unknown>;
  return rest;
}

export async function copyAsJson({ id, name }: Named): Promise<void> {
  try {
    const { data } = await call("workflows.get", { params: { id } });
    await copyText(JSON.stringify(data, null, 2), `${name} as JSON is`);
  } catch (error) {
    notifyError(error);
  }
}

export function archive({ id, name }: Named): Promise<boolean> {
  return applyChange({
    send: () => send("workflows.archive", id),
    said: `${name} is archived, and its triggers are off.`,
    undo: () => send("workflows.unarchive", id),
  });
}

export function unarchive({ id, name }: Named): Promise<boolean> {
  return applyChange({
    send: () => send("workflows.unarchive", id),
    said: `${name} is back, as a draft.`,
    undo: () => send("workflows.archive", id),
  });
}

async function send(
  operation: "workflows.archive" | "workflows.unarchive",
  id: string,
): Promise<void> {
  await call(operation, { params: { id } });
}
