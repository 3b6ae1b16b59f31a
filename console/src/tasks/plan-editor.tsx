import "./tasks.css";
import { ChevronDown, ChevronUp, Plus, X } from "lucide-react";
import { useState } from "react";
import { PersonField, TeamField } from "../data/options/search-field.tsx";
import { type FieldBinding, partOf } from "../ui/form/binding.ts";
import { CheckField, ChoicesField } from "../ui/form/choice-field.tsx";
import { TextAreaField, TextField } from "../ui/form/text-field.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import { Grid } from "../ui/layout/layout.tsx";
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
  readonly field: FieldBinding<Plan>;
  /** The default for new tasks: only visible to agents. */
  readonly isInternal: boolean;
}

/** The tasks of a template in order; each new ticket starts with them. */
export function PlanEditor({ field, isInternal }: PlanEditorProps) {
  const plan: Plan = field.value ?? [];
  const [open, setOpen] = useState<number>();
  const change = (next: Plan): void => field.onChange([...next]);
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
                <span className="muted">{at + 1}</span> {task.title || "Untitled task"}
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
                field={partOf(field, at)}
                before={plan.slice(0, at)}
              />
            )}
          </li>
        ))}
      </ol>
      <Button type="button" disabled={plan.length >= TASKS_MAX} onClick={add}>
        <Plus /> Add task
      </Button>
    </section>
  );
}

interface TaskFieldsProps {
  readonly task: PlannedTask;
  readonly field: FieldBinding<PlannedTask>;
  readonly before: Plan;
  readonly isInternal: boolean;
}

function TaskFields({ task, field, before, isInternal }: TaskFieldsProps) {
  const [due, setDue] = useState(() => formatMinutes(task.dueMinutes));
  const isDueWrong = due.trim() !== "" && parseMinutes(due) === undefined;
  const dueField = partOf(field, "dueMinutes", {});
  return (
    <Grid pad={3}>
      <TextField {...partOf(field, "title", { required: true, maxLength: 300 })} label="Title" />
      <TextAreaField {...partOf(field, "description", {})} label="Description" />
      <PersonField {...partOf(field, "assigneeId", {})} label="Assignee" />
      <TeamField {...partOf(field, "teamId", {})} label="Team" />
      <TextField
        name="due"
        limits={{}}
        isDisabled={field.isDisabled}
        label="Due after"
        placeholder="4 h"
        help="Time after the work starts. Example: 90 min, 4 h or 2 d"
        value={due}
        errorFor={(label) =>
          isDueWrong ? "Enter a duration such as 90 min, 4 h or 2 d." : dueField.errorFor(label)
        }
        onChange={(text) => {
          setDue(text ?? "");
          const { dueMinutes: _, ...rest } = task;
          const minutes = parseMinutes(text ?? "");
          field.onChange(minutes === undefined ? rest : { ...rest, dueMinutes: minutes });
        }}
      />
      {before.length > 0 && (
        <ChoicesField
          {...toTexts(partOf(field, "dependsOn", {}))}
          label="Depends on"
          options={before.map(({ title }, place) => [`${place}`, title || `Task ${place + 1}`])}
        />
      )}
      <CheckField
        {...partOf(field, "required")}
        value={task.required ?? true}
        label="Required to complete the ticket"
      />
      <CheckField
        {...partOf(field, "internal")}
        value={task.internal ?? isInternal}
        label="Internal, not visible to the requester"
      />
    </Grid>
  );
}

/** Converts numbers to texts for the choices. */
const toTexts = (field: FieldBinding<readonly number[]>): FieldBinding<readonly string[]> => ({
  ...field,
  value: field.value?.map(String),
  onChange: (chosen) => field.onChange((chosen ?? []).map(Number)),
});
