import "./notifications.css";
import { Link, useNavigate } from "@tanstack/react-router";
import { CheckCheck, Settings2 } from "lucide-react";
import { useState } from "react";
import { call, patchCached, type Schemas, useOp } from "../data/api.ts";
import { place } from "../data/place.ts";
import { perform } from "../data/use-command.ts";
import { useActions } from "../shell/actions.ts";
import { useListKeys } from "../shell/list-keys.ts";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Keys } from "../ui/key.tsx";
import { Ago } from "../ui/time.tsx";
import { tellTimes, toWords } from "../ui/words.ts";
import { Button, PlainButton } from "../ui/form/button.tsx";

type Notification = Schemas["Notification"];

const PAGE = 100;

/** Shows the inbox, newest first. Opening a notification marks it as read. */
export function Notifications() {
  const navigate = useNavigate();
  const [isNewOnly, setNewOnly] = useState(false);
  const [chosen, setChosen] = useState<string>();
  const { data, error, isPending, refetch } = useOp("notifications.list", {
    query: { limit: PAGE, ...(isNewOnly && { unread: true }) },
  });
  const all = data?.data ?? [];
  const current = all.find(({ id }) => id === chosen);
  const unread = all.filter(({ readAt }) => readAt === null);
  useListKeys({ ids: all.map(({ id }) => id), chosen, onChoose: setChosen });
  const open = (one: Notification | undefined): void => {
    if (one) void navigate({ to: "/notifications/$id", params: { id: one.id } });
  };
  useActions([
    { keys: "Enter", label: "Open", run: () => open(current), hidden: true },
    {
      keys: "u",
      label: current?.readAt === null ? "Mark as read" : "Mark as unread",
      run: () => current && void setRead(current, current.readAt === null),
      disabled: current ? undefined : "Select a notification first (J, K).",
    },
    {
      keys: "shift+Enter",
      label: "Mark all as read",
      run: () => void readAll(),
      disabled: unread.length === 0 ? "No unread notifications." : undefined,
    },
  ]);
  return (
    <div className="page paper">
      <header className="page-head">
        <h1>Notifications</h1>
        <div className="tabs grow" role="group" aria-label="Filter">
          <PlainButton aria-pressed={!isNewOnly} onClick={() => setNewOnly(false)}>
            All
          </PlainButton>
          <PlainButton aria-pressed={isNewOnly} onClick={() => setNewOnly(true)}>
            {" "}
            Unread{" "}
          </PlainButton>
        </div>
        <Link
          to="/settings/notifications"
          className="btn bare icon"
          aria-label="Notification settings"
          title="Notification settings"
        >
          <Settings2 />
        </Link>
        <Button
          aria-label="Mark all as read"
          disabled={unread.length === 0}
          onClick={() => void readAll()}
        >
          <CheckCheck /> <span className="wide-only">Mark all as read</span>
        </Button>
      </header>
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading />}
      {!isPending && !error && all.length === 0 && (
        <Empty title={isNewOnly ? "No unread notifications" : "No notifications yet"}>
          You get a notification when a ticket or an approval needs you, or when a workflow sends
          you a message.
        </Empty>
      )}
      <ul className="scroll notifications">
        {all.map((one) => (
          <NotificationRow key={one.id} one={one} isChosen={one.id === chosen} />
        ))}
      </ul>
    </div>
  );
}

/** Joins several lines into one. */
const toLine = (body: string): string => tellTimes(body).split(/\n+/).join(" · ");

function NotificationRow(props: { readonly one: Notification; readonly isChosen: boolean }) {
  const { id, title, body, readAt, createdAt, environment } = props.one;
  const isNew = readAt === null;
  return (
    <li className={`notification${isNew ? " new" : ""}`} aria-current={props.isChosen}>
      <Link to="/notifications/$id" params={{ id }} className="notification-link">
        <span className="notification-dot">{isNew && <span className="hide">Unread</span>}</span>
        <span className="grow">
          <span className="notification-title">
            {title}
            {environment !== place.environment && (
              <span className={`tag plain env-tag`}>{toWords(environment)}</span>
            )}
          </span>
          {body !== "" && <span className="notification-body muted">{toLine(body)}</span>}
        </span>
        <Ago at={createdAt} />
      </Link>
      <Button
        look="bare"
        className="notification-act"
        onClick={() => void setRead(props.one, isNew)}
        aria-label={isNew ? `Mark as read: ${title}` : `Mark as unread: ${title}`}
      >
        {isNew ? "Mark read" : "Mark unread"} {props.isChosen && <Keys keys="u" />}
      </Button>
    </li>
  );
}

function markCached(id: string, readAt: string | null): () => void {
  return patchCached("notifications.list", (old) => ({
    ...old,
    data: old.data.map((one) => (one.id === id ? { ...one, readAt } : one)),
  }));
}

const operationOf = (isRead: boolean) =>
  isRead ? ("notifications.read" as const) : ("notifications.unread" as const);

const setRead = ({ id }: Notification, isRead: boolean): Promise<unknown> =>
  perform(
    operationOf(isRead),
    { params: { id } },
    {
      show: () => markCached(id, isRead ? new Date().toISOString() : null),
      said: isRead ? "Marked as read." : "Marked as unread.",
      undo: () => call(operationOf(!isRead), { params: { id } }),
    },
  );

function readAll(): Promise<unknown> {
  const readAt = new Date().toISOString();
  return perform(
    "notifications.read_all",
    {},
    {
      show: () =>
        patchCached("notifications.list", (old) => ({
          ...old,
          data: old.data.map((one) => ({ ...one, readAt: one.readAt ?? readAt })),
        })),
      said: "All notifications marked as read.",
    },
  );
}
