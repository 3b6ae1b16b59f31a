import { useForm } from "../data/form/use-form.ts";
import { PersonField, TeamField } from "../data/options/search-field.tsx";
import { CheckField, ChoicesField } from "../ui/form/choice-field.tsx";
import { DateTimeField } from "../ui/form/date-time-field.tsx";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextAreaField, TextField } from "../ui/form/text-field.tsx";
import { Grid } from "../ui/layout/layout.tsx";
import { ADD, type Task, type TaskKind, UPDATE } from "./task-act.ts";

interface TaskDialogProps {
  /** Undefined for a new task. */
  readonly task: Task | undefined;
  readonly tasks: readonly Task[];
  readonly place: { readonly kind: TaskKind; readonly ticketId: string };
  readonly onClose: () => void;
}

/** The form of a task: title, assignee, due date and dependencies. */
export function TaskDialog({ task, tasks, place, onClose }: TaskDialogProps) {
  const form = useForm(task ? UPDATE[place.kind] : ADD[place.kind], {
    params: { id: place.ticketId, taskId: task?.id ?? "" },
    initial: task ?? { required: true, internal: false },
    onDone: onClose,
  });
  const others = tasks.filter(({ id }) => id !== task?.id);
  return (
    <FormDialog
      form={form}
      title={task ? "Edit task" : "Add task"}
      act={task ? "Save" : "Add"}
      onClose={onClose}
    >
      <TextField {...form.field("title")} label="Title" />
      <Grid min="m">
        <PersonField {...form.field("assigneeId")} label="Assignee" />
        <TeamField {...form.field("teamId")} />
        <DateTimeField {...form.field("dueAt")} label="Due" />
      </Grid>
      <TextAreaField {...form.field("description")} label="Description" />
      {others.length > 0 && (
        <ChoicesField
          {...form.field("dependsOn")}
          label="Depends on"
          options={others.map(({ id, title }) => [id, title])}
        />
      )}
      <CheckField {...form.field("required")} label="Required to complete the ticket" />
      <CheckField {...form.field("internal")} label="Internal, not visible to the requester" />
    </FormDialog>
  );
}
