import { Ellipsis } from "lucide-react";
import { useState } from "react";
import { call } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { useNames } from "../data/names/names.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Menu } from "../ui/overlay/menu.tsx";
import { DueDay } from "./due-day.tsx";
import {
  completeTask,
  moveTask,
  removeTask,
  reopenTask,
  paramsOf,
  REOPEN,
  SKIP,
  type Task,
  type TaskPlace,
} from "./task-act.ts";
import { PlainButton } from "../ui/form/button.tsx";
import { CheckBox } from "../ui/form/controls.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextField } from "../ui/form/text-field.tsx";

interface TaskLineProps {
  readonly task: Task;
  readonly tasks: readonly Task[];
  readonly place: TaskPlace;
  readonly refusal: string | undefined;
  readonly onEdit: () => void;
}

/** A task with a checkbox, and the reason if it can't be completed yet. */
export function TaskLine({ task, tasks, place, refusal, onEdit }: TaskLineProps) {
  const nameOf = useNames();
  const [isSkipping, setSkipping] = useState(false);
  const isOpen = task.state === "open";
  const waitsFor = tasks.filter(({ id }) => task.blockedBy.includes(id)).map(({ title }) => title);
  const blocked = waitsFor.length > 0 ? `After ${waitsFor.join(", ")}` : undefined;
  const why = refusal ?? (isOpen ? blocked : undefined);
  const who = nameOf(task.assigneeId) ?? nameOf(task.teamId);
  const at = tasks.findIndex(({ id }) => id === task.id);
  return (
    <li className={`task ${task.state}`}>
      <CheckBox
        aria-label={`Complete ${task.title}`}
        checked={!isOpen}
        disabled={why !== undefined}
        title={why}
        onChange={() => void (isOpen ? completeTask(place, task) : reopenTask(place, task))}
      />
      <div className="task-words">
        <PlainButton className="task-title" disabled={refusal !== undefined} onClick={onEdit}>
          {task.title}
        </PlainButton>
        <span className="task-about">
          {task.state === "skipped" && <span>skipped: {task.notes}</span>}
          {isOpen && blocked !== undefined && <span>{blocked}</span>}
          {isOpen && task.dueAt !== null && <DueDay at={task.dueAt} />}
          {isOpen && !task.required && <span>optional</span>}
          {task.internal && <span>internal</span>}
        </span>
      </div>
      {who !== undefined && <Avatar name={who} />}
      {refusal === undefined && (
        <Menu
          label={`Actions for ${task.title}`}
          items={[
            { label: "Edit", onPick: onEdit },
            {
              label: "Skip…",
              disabled: isOpen ? undefined : "The task has ended.",
              onPick: () => setSkipping(true),
            },
            {
              label: "Move up",
              disabled: at === 0 ? "Already first." : undefined,
              onPick: () => void moveTask(place, tasks, task, -1),
            },
            {
              label: "Move down",
              disabled: at === tasks.length - 1 ? "Already last." : undefined,
              onPick: () => void moveTask(place, tasks, task, 1),
            },
            {
              label: "Remove",
              isDangerous: true,
              isApart: true,
              onPick: () => void removeTask(place, task),
            },
          ]}
        >
          <Ellipsis />
        </Menu>
      )}
      {isSkipping && <SkipDialog {...{ place, task }} onClose={() => setSkipping(false)} />}
    </li>
  );
}

interface SkipDialogProps {
  readonly place: TaskPlace;
  readonly task: Task;
  readonly onClose: () => void;
}

function SkipDialog({ place, task: { id, title }, onClose }: SkipDialogProps) {
  const params = paramsOf(place, id);
  const form = useForm(SKIP[place.kind], {
    params,
    check: ({ notes }) => ({ notes: notes?.trim() ? undefined : "is required" }),
    said: `“${title}” skipped`,
    undo: () => call(REOPEN[place.kind], { params }),
    onDone: onClose,
  });
  return (
    <FormDialog form={form} title={`Skip “${title}”`} act="Skip task" onClose={onClose}>
      <TextField {...form.field("notes")} label="Reason" isRequired />
    </FormDialog>
  );
}
