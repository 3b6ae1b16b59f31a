import "./tasks.css";
import { ChevronDown, ChevronUp, Plus, X } from "lucide-react";
import { useState } from "react";
import { CheckField, LineField, TeamSelect } from "../desk-settings/index.ts";
import { Field } from "../ui/field.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { PersonCombobox } from "../data/options/person-combobox.tsx";
import {
  formatMinutes,
  moveTask,
  parseMinutes,
  type Plan,
  type PlannedTask,
  removeTask,
} from "./plan.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";

const TASKS_MAX = 50;

interface PlanEditorProps {
  readonly plan: Plan;
  readonly onChange: (plan: PlannedTask[]) => void;
  /** Whether its tasks are for those who work on them alone, where one says nothing. */
  readonly isInternal: boolean;
  readonly errorOf?: (pointer: string) => string | undefined;
}

/** The tasks that each ticket made of this begins with, in their order. */
export function PlanEditor({ plan, onChange, isInternal, errorOf }: PlanEditorProps) {
  const [open, setOpen] = useState<number>();
  const change = (next: Plan): void => onChange([...next]);
  const set = (at: number, task: PlannedTask): void => change(plan.with(at, task));
  const move = (from: number, to: number): void => {
    change(moveTask(plan, from, to));
    if (open === from) setOpen(to);
  };
  const add = (): void => {
    change([...plan, { title: "" }]);
    setOpen(plan.length);
  };
  return (
    <section className="task-plan" aria-label="Tasks">
      {plan.length === 0 && <p className="muted">No tasks yet.</p>}
      <ol>
        {plan.map((task, at) => (
          <li key={at} className="plan-task">
            <div className="plan-line">
              <PlainButton
                type="button"
                className="plan-title cut"
                aria-expanded={open === at}
                onClick={() => setOpen(open === at ? undefined : at)}
              >
                <span className="muted">{at + 1}</span> {task.title || "A task without a name"}
              </PlainButton>
              <IconButton
                isSmall
                label={`Move task ${at + 1} up`}
                isOff={at === 0}
                onPress={() => move(at, at - 1)}
              >
                <ChevronUp />
              </IconButton>
              <IconButton
                isSmall
                label={`Move task ${at + 1} down`}
                isOff={at === plan.length - 1}
                onPress={() => move(at, at + 1)}
              >
                <ChevronDown />
              </IconButton>
              <IconButton
                isSmall
                label={`Remove task ${at + 1}`}
                onPress={() => {
                  change(removeTask(plan, at));
                  setOpen(undefined);
                }}
              >
                <X />
              </IconButton>
            </div>
            {open === at && (
              <TaskFields
                {...{ task, isInternal }}
                before={plan.slice(0, at)}
                onChange={(next) => set(at, next)}
                errorOf={(name) => errorOf?.(`/tasks/${at}/${name}`)}
              />
            )}
          </li>
        ))}
      </ol>
      <Button type="button" disabled={plan.length >= TASKS_MAX} onClick={add}>
        <Plus /> Add a task
      </Button>
    </section>
  );
}

interface TaskFieldsProps {
  readonly task: PlannedTask;
  readonly before: Plan;
  readonly isInternal: boolean;
  readonly onChange: (task: PlannedTask) => void;
  readonly errorOf: (name: string) => string | undefined;
}

function TaskFields({ task, before, isInternal, onChange, errorOf }: TaskFieldsProps) {
  const [due, setDue] = useState(() => formatMinutes(task.dueMinutes));
  const change = (next: Partial<PlannedTask>): void => onChange({ ...task, ...next });
  const after = task.dependsOn ?? [];
  const isDueWrong = due.trim() !== "" && parseMinutes(due) === undefined;
  return (
    <div className="plan-fields">
      <LineField
        label="What"
        value={task.title}
        onChange={(title) => change({ title })}
        error={errorOf("title")}
        maxLength={300}
      />
      <LineField
        label="How"
        value={task.description ?? ""}
        onChange={(description) => change({ description })}
        isArea
        isOptional
      />
      <Field label="Who" error={errorOf("assigneeId")} isOptional>
        {({ id }) => (
          <PersonCombobox
            id={id}
            label="Who"
            value={task.assigneeId ?? undefined}
            onChange={(assigneeId) => change({ assigneeId: assigneeId ?? null })}
          />
        )}
      </Field>
      <TeamSelect
        label="Team"
        none="None"
        value={task.teamId ?? null}
        onChange={(teamId) => change({ teamId })}
      />
      <LineField
        label="Due after"
        placeholder="4 h"
        help="From when work begins: 90 min, 4 h, 2 d"
        value={due}
        error={isDueWrong ? "Write it as 90 min, 4 h or 2 d." : errorOf("dueMinutes")}
        onChange={(text) => {
          setDue(text);
          const { dueMinutes: _, ...rest } = task;
          const minutes = parseMinutes(text);
          onChange(minutes === undefined ? rest : { ...rest, dueMinutes: minutes });
        }}
        isOptional
      />
      {before.length > 0 && (
        <fieldset className="task-after">
          <legend>Only after</legend>
          {before.map(({ title }, place) => (
            <CheckField
              key={place}
              label={title || `Task ${place + 1}`}
              isOn={after.includes(place)}
              onChange={(isOn) =>
                change({
                  dependsOn: isOn ? [...after, place] : after.filter((one) => one !== place),
                })
              }
            />
          ))}
        </fieldset>
      )}
      <CheckField
        label="It must be done before the ticket is"
        isOn={task.required ?? true}
        onChange={(required) => change({ required })}
      />
      <CheckField
        label="Only for those who work on it"
        isOn={task.internal ?? isInternal}
        onChange={(internal) => change({ internal })}
      />
    </div>
  );
}
