import { call, invalidate } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { notify } from "../../ui/toast.tsx";
import { type Act, type ActWords, DONE } from "./acts.ts";
import type { Change } from "./use-change.ts";

/** Performs an act and confirms it, or shows the server's refusal. */
export async function performAct(change: Change, act: Act, words: ActWords): Promise<boolean> {
  try {
    await send(change.id, act, words);
    notify(`${change.number} ${DONE[act.name]}.`);
    invalidate(["changes.", "home."]);
    return true;
  } catch (error) {
    notify(describeRefusal(error));
    invalidate(["changes."]);
    return false;
  }
}

async function send(id: string, act: Act, { words, reason }: ActWords): Promise<unknown> {
  const params = { id };
  const notes = { params, body: words === "" ? {} : { notes: words } };
  switch (act.name) {
    case "submit":
      return call("changes.submit", { params });
    case "revise":
      return call("changes.revise", { params });
    case "take":
      return call("changes.take", { params });
    case "implement":
      return call("changes.implement", {
        params,
        body: { ...notes.body, ...(reason !== "" && { reason }) },
      });
    case "complete":
      return call("changes.complete", notes);
    case "rollback":
      return call("changes.rollback", notes);
    case "cancel":
      return call("changes.cancel", { params, body: words === "" ? {} : { reason: words } });
    case "edit":
    case "move":
      return undefined;
  }
}
