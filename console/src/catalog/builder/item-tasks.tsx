import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { PlanEditor, type PlannedTask } from "../../tasks/index.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import type { FieldBinding } from "../../ui/form/binding.ts";

interface ItemTasksProps {
  readonly id: string;
  /** Without a value, the tasks are unchanged. */
  readonly field: FieldBinding<readonly PlannedTask[]>;
}

/** The fulfilment tasks of an item; the requester sees those that are not internal. */
export function ItemTasks({ id, field }: ItemTasksProps) {
  const mayRead = useMay()("catalog.list_item_tasks");
  const { data, error, refetch } = useOp(
    "catalog.list_item_tasks",
    { params: { id } },
    { enabled: mayRead },
  );
  const plan = field.value ?? data?.data.tasks;
  return (
    <div className="cat-settings">
      <h2>Fulfilment tasks</h2>
      <p className="muted">
        Tasks start when fulfilment starts. Requesters see all tasks that are not internal.
      </p>
      {!mayRead && <p className="muted">You don't have permission to view tasks.</p>}
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {mayRead && !plan && !error && <Loading rows={3} />}
      {plan && <PlanEditor field={{ ...field, value: plan }} isInternal />}
    </div>
  );
}
