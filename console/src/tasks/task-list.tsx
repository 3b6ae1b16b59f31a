import "./tasks.css";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useOp } from "../data/api.ts";
import { useRefusal } from "../data/people.ts";
import { ErrorNotice } from "../ui/feedback.tsx";
import { Row } from "../ui/layout/layout.tsx";
import { LIST, type Task, type TaskKind, UPDATE } from "./task-act.ts";
import { TaskDialog } from "./task-dialog.tsx";
import { TaskLine } from "./task-line.tsx";
import { Button } from "../ui/form/button.tsx";

interface TaskListProps {
  readonly kind: TaskKind;
  readonly ticketId: string;
  /** The reason why tasks are read-only, such as a closed ticket. */
  readonly refusal?: string | undefined;
}

/** Lists the ticket's tasks in order and counts the open ones. */
export function TaskList({ kind, ticketId, refusal }: TaskListProps) {
  const [open, setOpen] = useState<Task | "new">();
  const params = { id: ticketId };
  const { data, error, refetch } = useOp(LIST[kind], { params, query: { limit: 200 } });
  const tasks = data?.data ?? [];
  const missing = useRefusal(UPDATE[kind]);
  const why = refusal ?? missing;
  const ended = tasks.filter(({ state }) => state !== "open").length;
  return (
    <section className="tasks" aria-label="Tasks">
      <Row>
        <h2 className="grow">
          Tasks{" "}
          {tasks.length > 0 && (
            <span className="muted">
              {ended} of {tasks.length}
            </span>
          )}
        </h2>
        <Button
          look="bare"
          isIcon
          isSmall
          aria-label="Add task"
          disabled={why !== undefined}
          title={why ?? "Add task"}
          onClick={() => setOpen("new")}
        >
          <Plus />
        </Button>
      </Row>
      {tasks.length > 0 && (
        <progress
          className="tasks-bar"
          max={tasks.length}
          value={ended}
          aria-label="Completed tasks"
        />
      )}
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {data && tasks.length === 0 && <p className="muted">No tasks.</p>}
      <ol>
        {tasks.map((task) => (
          <TaskLine
            key={task.id}
            task={task}
            tasks={tasks}
            place={{ kind, ticketId }}
            refusal={why}
            onEdit={() => setOpen(task)}
          />
        ))}
      </ol>
      {open !== undefined && (
        <TaskDialog
          task={open === "new" ? undefined : open}
          tasks={tasks}
          place={{ kind, ticketId }}
          onClose={() => setOpen(undefined)}
        />
      )}
    </section>
  );
}
