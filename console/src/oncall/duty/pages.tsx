import "../../ui/display/shelf.css";
import { Link } from "@tanstack/react-router";
import { Siren } from "lucide-react";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMe, useRefusals } from "../../data/people.ts";
import { useActions } from "../../shell/actions.ts";
import { useListKeys } from "../../shell/list-keys.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Keys } from "../../ui/key.tsx";
import { Ago, useNow } from "../../ui/time.tsx";
import { toCountdown } from "../../ui/words.ts";
import { acknowledge } from "./acknowledge.ts";
import { PageDialog } from "./page-dialog.tsx";
import { Button } from "../../ui/form/button.tsx";

type Page = Schemas["ListedPage"];

const SHOWN = 100;

const STATES: Readonly<Record<Page["state"], readonly [tone: string, words: string]>> = {
  paging: ["bad", "Paging"],
  acknowledged: ["ok", "Acknowledged"],
  exhausted: ["warn", "Not acknowledged"],
  ended: ["idle", "Ended"],
};

const isOpen = (page: Page | undefined): boolean =>
  page?.state === "paging" || page?.state === "exhausted";

/** Pages, unacknowledged ones first. */
export function Pages() {
  const refusalOf = useRefusals();
  const [chosen, setChosen] = useState<string>();
  const [isAsking, setAsking] = useState(false);
  const { data, error, isPending, refetch } = useOp("pages.list", {
    query: { limit: SHOWN, sort: "-createdAt" },
  });
  const refusal = refusalOf("pages.create");
  const pages = [...(data?.data ?? [])].toSorted(
    (left, right) => Number(right.state === "paging") - Number(left.state === "paging"),
  );
  const page = pages.find(({ id }) => id === chosen);
  useListKeys({ ids: pages.map(({ id }) => id), chosen, onChoose: setChosen });
  useActions([
    {
      keys: "a",
      label: "Acknowledge page",
      run: () => page && void acknowledge(page),
      disabled: refusal ?? (isOpen(page) ? undefined : "Select a page that is not acknowledged."),
      asks: {
        title: "Acknowledge this page?",
        text: "The escalation stops: no one else is paged.",
        act: "Acknowledge",
      },
    },
    { keys: "c", label: "Send page", run: () => setAsking(true), disabled: refusal },
  ]);
  const ask = (
    <Button refusal={refusal} onClick={() => setAsking(true)}>
      <Siren /> Send page{" "}
    </Button>
  );
  return (
    <div className="scroll oncall-list" tabIndex={0} role="region" aria-label="Pages">
      {pages.length > 0 && <p className="oncall-make">{ask}</p>}
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && !error && <Loading rows={6} />}
      {data && pages.length === 0 && (
        <Empty title="No pages" action={ask}>
          Tickets that match an escalation policy page people automatically. You can also send a
          page.
        </Empty>
      )}
      <ul>
        {pages.map((one) => (
          <PageLine key={one.id} page={one} isChosen={one.id === chosen} refusal={refusal} />
        ))}
      </ul>
      {isAsking && <PageDialog onClose={() => setAsking(false)} />}
    </div>
  );
}

interface PageLineProps {
  readonly page: Page;
  readonly isChosen: boolean;
  readonly refusal: string | undefined;
}

function PageLine({ page, isChosen, refusal }: PageLineProps) {
  const nameOf = useNames();
  const me = useMe();
  const [tone, words] = STATES[page.state];
  const isMine = me !== undefined && page.userIds.includes(me.user.id);
  return (
    <li className="page-line" aria-current={isChosen ? "true" : undefined}>
      <span className={`tag ${tone}`}>{words}</span>
      <div className="page-words grow">
        <Link
          to="/tickets/$reference"
          params={{ reference: page.ticket.number }}
          className="page-title cut"
        >
          <span className="mono muted">{page.ticket.number}</span> {page.ticket.title}
        </Link>
        <PageWords page={page} nameOf={nameOf} isMine={isMine} />
      </div>
      <span className="shelf-faces">
        {page.userIds.slice(0, 4).map((userId) => (
          <Avatar key={userId} name={nameOf(userId)} />
        ))}
      </span>
      <Ago at={page.createdAt} />
      {isOpen(page) && (
        <Button
          refusal={refusal}
          look={isMine ? "main" : undefined}
          onClick={() => void acknowledge(page)}
        >
          Acknowledge <Keys keys="a" />
        </Button>
      )}
    </li>
  );
}

interface PageWordsProps {
  readonly page: Page;
  readonly nameOf: ReturnType<typeof useNames>;
  readonly isMine: boolean;
}

function PageWords({ page, nameOf, isMine }: PageWordsProps) {
  const nowMs = useNow();
  const step = `Step ${page.step + 1}${page.round > 0 ? `, round ${page.round + 1}` : ""}`;
  if (page.state === "acknowledged") {
    return (
      <span className="muted">
        Acknowledged by {nameOf(page.acknowledgedBy) ?? "a former member"}
      </span>
    );
  }
  if (page.state === "exhausted") {
    return <span className="muted">Not acknowledged after all escalation steps</span>;
  }
  if (page.state === "ended") {
    return <span className="muted">Ended: the ticket is resolved</span>;
  }
  return (
    <span className="muted">
      {isMine && <strong>Waiting for you. </strong>}
      {page.message ? `“${page.message}” ` : ""}
      {page.policyId === null ? `Sent by ${nameOf(page.createdBy) ?? "a former member"}` : step}
      {page.policyId !== null &&
        page.nextAt !== null &&
        `, next step in ${toCountdown(Date.parse(page.nextAt) - nowMs)}`}
    </span>
  );
}
