import { TASKS_LIST_VIEW } from "@millrace/client/enums";
import { choicesOf } from "../ui/form/choices.ts";
import "./tasks.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { type Reply, useOp } from "../data/api.ts";
import { useNames } from "../data/names/names.ts";
import { useRefusal } from "../data/people.ts";
import { useActions } from "../shell/actions.ts";
import { useListKeys } from "../shell/list-keys.ts";
import { useTitle } from "../shell/title.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Keys } from "../ui/key.tsx";
import { DueDay } from "./due-day.tsx";
import { COMPLETE, completeTask, type TaskKind } from "./task-act.ts";
import { PlainButton } from "../ui/form/button.tsx";
import { CheckBox } from "../ui/form/controls.tsx";

type ListedTask = Reply<"tasks.list">["data"][number];

const SHOWN = 100;
const VIEWS = choicesOf(TASKS_LIST_VIEW, { mine: "Mine", unassigned: "My teams", all: "All" });

/** The user's tasks of all changes and requests; blocked tasks are last. */
export function MyTasks() {
  useTitle("Tasks");
  const { view = "mine" } = useSearch({ from: "/inside/tasks" });
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<string>();
  const { data, error, isPending, refetch } = useOp("tasks.list", {
    query: { view, limit: SHOWN },
  });
  const tasks = [...(data?.data ?? [])].toSorted(
    (left, right) => Number(left.blockedBy.length > 0) - Number(right.blockedBy.length > 0),
  );
  const task = tasks.find(({ id }) => id === chosen);
  useListKeys({ ids: tasks.map(({ id }) => id), chosen, onChoose: setChosen });
  useActions([
    {
      keys: "x",
      label: "Complete task",
      run: () => task && void completeTask(placeOf(task), task),
      disabled: task ? undefined : "Select a task first.",
      asks: {
        title: `Complete “${task?.title ?? ""}”?`,
        text: "The tasks that depend on it can start, and their assignees get a notification.",
        act: "Complete task",
      },
    },
    {
      keys: "Enter",
      label: "Open ticket",
      within: "body",
      run: () =>
        task &&
        void navigate({ to: "/tickets/$reference", params: { reference: task.ticket.number } }),
      disabled: task ? undefined : "Select a task first.",
    },
  ]);
  return (
    <div className="page">
      <header className="page-head">
        <h1>Tasks</h1>
        <div className="tabs" role="group" aria-label="Filter">
          {VIEWS.map(([id, label]) => (
            <PlainButton
              key={id}
              aria-pressed={view === id}
              onClick={() =>
                void navigate({ to: "/tasks", search: { view: id === "mine" ? undefined : id } })
              }
            >
              {label}
            </PlainButton>
          ))}
        </div>
      </header>
      <div className="scroll tasks-page" tabIndex={0} role="region" aria-label="Tasks">
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {isPending && !error && <Loading rows={8} />}
        {data && tasks.length === 0 && (
          <Empty title="No tasks">
            {view === "mine"
              ? "Tasks of changes and requests that are assigned to you appear here."
              : "No open tasks in this view."}
          </Empty>
        )}
        <ol>
          {tasks.map((one) => (
            <MyTask key={one.id} task={one} isChosen={one.id === chosen} />
          ))}
        </ol>
      </div>
    </div>
  );
}

const placeOf = ({ ticket, ticketId }: ListedTask) => ({ kind: ticket.kind as TaskKind, ticketId });

interface MyTaskProps {
  readonly task: ListedTask;
  readonly isChosen: boolean;
}

function MyTask({ task, isChosen }: MyTaskProps) {
  const nameOf = useNames();
  const place = placeOf(task);
  const isBlocked = task.blockedBy.length > 0;
  const missing = useRefusal(COMPLETE[place.kind]);
  const why = missing ?? (isBlocked ? "Complete the tasks that it depends on first." : undefined);
  return (
    <li
      className={isBlocked ? "task blocked" : "task"}
      aria-current={isChosen ? "true" : undefined}
    >
      <CheckBox
        aria-label={`Complete ${task.title}`}
        checked={false}
        disabled={why !== undefined}
        title={why}
        onChange={() => void completeTask(place, task)}
      />
      <Link
        to="/tickets/$reference"
        params={{ reference: task.ticket.number }}
        className="task-words"
      >
        <span className="task-title">{task.title}</span>
        <span className="task-about">
          <span className="cut">
            <span className="mono">{task.ticket.number}</span> {task.ticket.title}
          </span>
          {task.dueAt !== null && <DueDay at={task.dueAt} />}
          {isBlocked && <span>blocked by other tasks</span>}
        </span>
      </Link>
      <Avatar name={nameOf(task.assigneeId) ?? nameOf(task.teamId)} />
      {isChosen && <Keys keys="x" />}
    </li>
  );
}
