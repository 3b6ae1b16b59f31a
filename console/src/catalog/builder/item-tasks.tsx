import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { PlanEditor, type PlannedTask } from "../../tasks/index.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { freeField } from "../../ui/form/binding.ts";

interface ItemTasksProps {
  readonly id: string;
  /** The edited tasks; undefined if they are unchanged. */
  readonly draft: readonly PlannedTask[] | undefined;
  readonly onChange: (tasks: PlannedTask[]) => void;
}

/** The fulfilment tasks of an item; the requester sees those that are not internal. */
export function ItemTasks({ id, draft, onChange }: ItemTasksProps) {
  const mayRead = useMay()("catalog.list_item_tasks");
  const { data, error, refetch } = useOp(
    "catalog.list_item_tasks",
    { params: { id } },
    { enabled: mayRead },
  );
  const plan = draft ?? data?.data.tasks;
  return (
    <div className="cat-settings">
      <h2>Fulfilment tasks</h2>
      <p className="muted">
        Tasks start when fulfilment starts. Requesters see all tasks that are not internal.
      </p>
      {!mayRead && <p className="muted">You don't have permission to view tasks.</p>}
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {mayRead && !plan && !error && <Loading rows={3} />}
      {plan && (
        <PlanEditor
          field={freeField("tasks", plan, (tasks) => onChange([...(tasks ?? [])]))}
          isInternal
        />
      )}
    </div>
  );
}
