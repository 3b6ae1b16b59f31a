import "./major.css";
import { Link, useParams } from "@tanstack/react-router";
import { ArrowLeft, Check, ExternalLink, FileText } from "lucide-react";
import { useState } from "react";
import { useOp } from "../data/api.ts";
import { useMay, useRefusals } from "../data/people.ts";
import { useCommand } from "../data/use-command.ts";
import { useActions } from "../shell/actions.ts";
import { isGone, NotFound } from "../shell/not-found.tsx";
import { useTitle } from "../shell/title.ts";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Keys } from "../ui/key.tsx";
import { State } from "../ui/state.tsx";
import { useNow } from "../ui/time.tsx";
import { count, toDuration } from "../ui/words.ts";
import { BroadcastBox } from "./broadcast-box.tsx";
import { Children } from "./children.tsx";
import { ResolveDialog } from "./resolve-dialog.tsx";
import { ReviewPanel } from "./review-panel.tsx";
import { RoleCards } from "./role-cards.tsx";
import type { Room } from "./room-data.ts";
import { Story } from "./story.tsx";
import { Button } from "../ui/form/button.tsx";
import { CommandButton } from "../ui/form/command-button.tsx";

/** The page of a major incident: roles, messages, affected services, timeline and review. */
export function MajorRoom() {
  const { id } = useParams({ from: "/inside/major/$id" });
  const { data, error, isPending, refetch } = useOp("major_incidents.room", { params: { id } });
  const room = data?.data;
  useTitle(room && `Major incident ${room.incident.number}`);
  if (isGone(error)) return <NotFound />;
  return (
    <div className="page">
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={10} />}
      {room && <RoomSheet key={room.incident.id} room={room} />}
    </div>
  );
}

function RoomSheet({ room }: { readonly room: Room }) {
  const { incident, children } = room;
  const refusalOf = useRefusals();
  const [open, setOpen] = useState<"resolve" | "review">();
  const isOpen = !["resolved", "closed", "cancelled"].includes(incident.state);
  const whyNotResolve = refusalOf("incidents.resolve");
  useActions([
    {
      keys: "b",
      label: "Send update",
      run: () => document.querySelector<HTMLElement>(".broadcast textarea")?.focus(),
    },
    {
      keys: "e",
      label: "Resolve",
      run: () => setOpen("resolve"),
      disabled: isOpen ? whyNotResolve : "The incident is already resolved.",
    },
    { keys: "r", label: "Review", run: () => setOpen("review") },
  ]);
  return (
    <>
      <header className="page-head room-head">
        <Link className="btn bare icon" aria-label="Home" to="/">
          <ArrowLeft />
        </Link>
        <Link
          className="mono muted"
          to="/tickets/$reference"
          params={{ reference: incident.number }}
        >
          {incident.number}
        </Link>
        <State state={incident.state} />
        <span className="grow" />
        <StatusLink />
        <Button aria-keyshortcuts="r" onClick={() => setOpen("review")}>
          <FileText /> Review <Keys keys="r" />
        </Button>
        {isOpen && (
          <Button
            look="main"
            refusal={whyNotResolve}
            aria-keyshortcuts="e"
            onClick={() => setOpen("resolve")}
          >
            <Check /> Resolve <Keys keys="e" />
          </Button>
        )}
      </header>
      <div className="scroll room" tabIndex={0} role="region" aria-label={incident.title}>
        <div className="room-main">
          <h1>{incident.title}</h1>
          <Figures room={room} />
          {!incident.isMajor && <NotMajor id={incident.id} isOpen={isOpen} />}
          <RoleCards room={room} />
          {incident.isMajor && <BroadcastBox room={room} />}
          <Broadcasts broadcasts={room.broadcasts} />
        </div>
        <aside className="room-side" aria-label="Related">
          <Children id={incident.id} total={children.total} isMajor={incident.isMajor} />
          <Story id={incident.id} />
        </aside>
      </div>
      {open === "resolve" && <ResolveDialog room={room} onClose={() => setOpen(undefined)} />}
      {open === "review" && <ReviewPanel incident={incident} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** Key figures: duration and number of reports. */
function Figures({ room }: { readonly room: Room }) {
  const { incident, children, people } = room;
  const now = useNow();
  const from = Date.parse(incident.createdAt);
  const to = incident.resolvedAt === null ? now : Date.parse(incident.resolvedAt);
  const figures: readonly (readonly [string, string])[] = [
    [toDuration(to - from), incident.resolvedAt === null ? "elapsed" : "total duration"],
    [String(people), people === 1 ? "person affected" : "people affected"],
    [
      String(children.total),
      children.open === 0 ? "child incidents, none open" : `child incidents, ${children.open} open`,
    ],
  ];
  return (
    <dl className="room-figures">
      {figures.map(([value, label]) => (
        <div key={label}>
          <dd>{value}</dd>
          <dt>{label}</dt>
        </div>
      ))}
    </dl>
  );
}

function NotMajor({ id, isOpen }: { readonly id: string; readonly isOpen: boolean }) {
  const declare = useCommand("incidents.declare_major");
  return (
    <div className="notice room-notice">
      <span className="grow">This is not a major incident.</span>
      {isOpen && (
        <CommandButton
          command={declare}
          onPress={() => void declare.run({ params: { id }, body: {} })}
        >
          Declare major incident
        </CommandButton>
      )}
    </div>
  );
}

function Broadcasts({ broadcasts }: { readonly broadcasts: Room["broadcasts"] }) {
  if (broadcasts.length === 0) return <p className="muted">No updates yet.</p>;
  return (
    <section aria-label="Updates">
      <h2>{count(broadcasts.length, "update")}</h2>
      <ol className="room-told">
        {broadcasts.map(({ at, by, message, statusPage }) => (
          <li key={at}>
            <p className="row">
              <strong>{by ?? "Unknown user"}</strong>
              <time className="muted" dateTime={at}>
                {new Date(at).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}
              </time>
              {statusPage && <span className="tag info">Status page: {statusPage.status}</span>}
            </p>
            <p className="room-words">{message}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

function StatusLink() {
  const may = useMay();
  const page = useOp("status_page.get", undefined, { enabled: may("status_page.get") }).data?.data;
  if (page?.isOn !== true) return null;
  return (
    <a className="btn bare" href={page.path} target="_blank" rel="noreferrer">
      Status page <ExternalLink />
    </a>
  );
}
