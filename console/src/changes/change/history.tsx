import { useNavigate } from "@tanstack/react-router";
import { type Schemas, useOp } from "../../data/api.ts";
import { UndoButton } from "../../events/index.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Timeline } from "../../ui/display/timeline.tsx";
import { ErrorNotice } from "../../ui/feedback.tsx";
import { toWords } from "../../ui/words.ts";
import { describeStarted } from "./start.ts";

type Moment = Schemas["TimelineItem"];

const STARTED = "change.implementation_started";

const WORDS: Readonly<Record<string, string>> = {
  "change.created": "created the change",
  "change.submitted": "submitted the change",
  "change.approval_given": "approved",
  "change.approved": "The change was approved",
  "change.rejected": "rejected the change",
  "change.revised": "returned the change to draft",
  "change.delegated": "delegated an approval",
  "change.completed": "completed the change",
  "change.rolled_back": "rolled back the change",
  "change.cancelled": "cancelled the change",
  "change.comment_added": "commented",
  "change.task_added": "added a task",
  "change.task_updated": "changed a task",
  "change.task_completed": "completed a task",
  "change.task_skipped": "skipped a task",
  "change.task_reopened": "reopened a task",
  "change.task_removed": "removed a task",
  "change.tasks_reordered": "reordered the tasks",
};

/** Shows the change history, newest first. */
export function History({ id, number }: { readonly id: string; readonly number: string }) {
  const navigate = useNavigate();
  const params = { kind: "changes", number };
  const see = (at: string): void =>
    void navigate({ to: "/desk/$kind/$number", params, search: { at } });
  const { data, error, refetch } = useOp("changes.get_timeline", {
    params: { id },
    query: { limit: 50 },
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  const entries = (data?.data ?? []).map((moment) => {
    const { eventId, at, actor } = moment;
    const said = describeWords(moment);
    return {
      id: eventId,
      at,
      title: describeMoment(moment),
      mark: <Avatar name={actor.name ?? "Millrace"} />,
      act: <UndoButton events={[{ ...moment, id: eventId }]} />,
      ...(said !== undefined && { children: <p className="history-words">{said}</p> }),
    };
  });
  return <Timeline label="Timeline" entries={entries} onSee={see} />;
}

function describeMoment({ type, actor, changes, data }: Moment): string {
  const who = actor.name ?? "Millrace";
  if (changes.length > 0) {
    const fields = changes.map(({ field }) =>
      toWords(field.replaceAll(/([A-Z])/g, " $1")).toLowerCase(),
    );
    return `${who} changed ${fields.join(", ")}`;
  }
  if (type === STARTED) return `${who} ${describeStarted(data)}`;
  const words = WORDS[type] ?? toWords(type.slice(type.indexOf(".") + 1)).toLowerCase();
  return words.startsWith("The ") ? words : `${who} ${words}`;
}

/** Returns the comment text, also for actions with a comment. */
function describeWords({ type, data }: Moment): string | undefined {
  const vote = data["vote"] as { readonly comment?: string } | undefined;
  const fields: Readonly<Record<string, unknown>> = {
    "change.comment_added": data["body"],
    "change.approval_given": vote?.comment,
    "change.rejected": data["rejectionReason"],
    "change.cancelled": data["cancellationReason"],
    [STARTED]: data["implementationNotes"],
    "change.completed": data["completionNotes"],
    "change.rolled_back": data["rollbackNotes"],
  };
  const said = fields[type];
  return typeof said === "string" && said !== "" ? said : undefined;
}
