import { useState } from "react";
import { ApiError, call } from "../data/api.ts";
import { describeRefusal } from "../data/change.ts";
import { fromLocalInput, toLocalInput } from "../changes/index.ts";
import { CheckField, LineField, TeamSelect } from "../desk-settings/index.ts";
import { Field } from "../ui/field.tsx";
import { PersonCombobox } from "../data/options/person-combobox.tsx";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { ADD, refreshTasks, type Task, type TaskKind, UPDATE } from "./task-act.ts";

interface TaskDialogProps {
  /** None where one is added. */
  readonly task: Task | undefined;
  readonly tasks: readonly Task[];
  readonly place: { readonly kind: TaskKind; readonly ticketId: string };
  readonly onClose: () => void;
}

const toDraft = (task: Task | undefined) => ({
  title: task?.title ?? "",
  description: task?.description ?? "",
  assigneeId: task?.assigneeId ?? null,
  teamId: task?.teamId ?? null,
  dueAt: task?.dueAt ?? null,
  required: task?.required ?? true,
  internal: task?.internal ?? false,
  dependsOn: [...(task?.dependsOn ?? [])],
});

/** A task: what, by whom, by when, and after which others. */
export function TaskDialog({ task, tasks, place, onClose }: TaskDialogProps) {
  const [draft, setDraft] = useState(() => toDraft(task));
  const [refused, setRefused] = useState<unknown>();
  const change = (next: Partial<typeof draft>): void => setDraft((old) => ({ ...old, ...next }));
  const errors = refused instanceof ApiError ? refused.errors : [];
  const others = tasks.filter(({ id }) => id !== task?.id);
  const submit = async (): Promise<void> => {
    const { kind, ticketId: id } = place;
    try {
      if (task) await call(UPDATE[kind], { params: { id, taskId: task.id }, body: draft });
      else await call(ADD[kind], { params: { id }, body: draft });
      refreshTasks();
      onClose();
    } catch (error) {
      setRefused(error);
    }
  };
  return (
    <Dialog
      title={task ? "Edit the task" : "Add a task"}
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <button className="btn main" disabled={draft.title.trim() === ""}>
          {task ? "Save" : "Add"}
        </button>
      }
    >
      <div className="task-form">
        {refused !== undefined && (
          <p className="problem" role="alert">
            {describeRefusal(refused)}
          </p>
        )}
        <LineField
          label="What"
          value={draft.title}
          onChange={(title) => change({ title })}
          error={errors.find(({ path }) => path === "/title")?.message}
          maxLength={300}
        />
        <div className="editor-columns">
          <Field label="Who" isOptional>
            {({ id }) => (
              <PersonCombobox
                id={id}
                label="Who"
                value={draft.assigneeId ?? undefined}
                onChange={(assigneeId) => change({ assigneeId: assigneeId ?? null })}
              />
            )}
          </Field>
          <TeamSelect
            label="Team"
            none="None"
            value={draft.teamId}
            onChange={(teamId) => change({ teamId })}
          />
          <Field label="Due" isOptional>
            {(attributes) => (
              <input
                {...attributes}
                className="field"
                type="datetime-local"
                value={toLocalInput(draft.dueAt)}
                onChange={({ target }) => change({ dueAt: fromLocalInput(target.value) })}
              />
            )}
          </Field>
        </div>
        <LineField
          label="How"
          value={draft.description}
          onChange={(description) => change({ description })}
          isArea
          isOptional
        />
        <AfterField
          others={others}
          value={draft.dependsOn}
          onChange={(dependsOn) => change({ dependsOn })}
        />
        <CheckField
          label="It must be done before the ticket is"
          isOn={draft.required}
          onChange={(required) => change({ required })}
        />
        <CheckField
          label="Only for those who work on it"
          isOn={draft.internal}
          onChange={(internal) => change({ internal })}
        />
      </div>
    </Dialog>
  );
}

interface AfterFieldProps {
  readonly others: readonly Task[];
  readonly value: readonly string[];
  readonly onChange: (taskIds: string[]) => void;
}

/** The tasks that must have ended before. */
function AfterField({ others, value, onChange }: AfterFieldProps) {
  if (others.length === 0) return null;
  return (
    <fieldset className="task-after">
      <legend>Only after</legend>
      {others.map(({ id, title }) => (
        <CheckField
          key={id}
          label={title}
          isOn={value.includes(id)}
          onChange={(isOn) => onChange(isOn ? [...value, id] : value.filter((one) => one !== id))}
        />
      ))}
    </fieldset>
  );
}
