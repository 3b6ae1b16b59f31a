import { Link } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { call, type Reply, useOp } from "../../data/api.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { State } from "../../ui/state.tsx";

const HITS_MAX = 20;
/** After this pause in typing, the user has read the results. */
const READ_MS = 4_000;

type Hit = Reply<"knowledge.search">["data"][number];

/** Search results among published articles; for authors also drafts that contain the words. */
export function SearchHits({ q, mayWrite }: { readonly q: string; readonly mayWrite: boolean }) {
  const found = useOp("knowledge.search", { query: { q, limit: HITS_MAX } });
  const listed = useOp("knowledge.list", { query: { q, limit: HITS_MAX } }, { enabled: mayWrite });
  const hits = found.data?.data ?? [];
  const others = (listed.data?.data ?? []).filter(({ id }) => hits.every((hit) => hit.id !== id));
  const note = useNote(q, found.isSuccess && !found.isPlaceholderData, hits.length);
  if (found.error) return <ErrorNotice error={found.error} retry={() => void found.refetch()} />;
  if (found.isPending) return <Loading rows={6} />;
  if (hits.length + others.length === 0) {
    return (
      <Empty
        title={`No results for “${q}”`}
        action={
          mayWrite && (
            <Link className="btn" to="/knowledge/new" search={{ title: q }}>
              Write article
            </Link>
          )
        }
      >
        Other users may search for it too.
      </Empty>
    );
  }
  return (
    <div className="scroll kb-hits" tabIndex={0} role="region" aria-label="Search results">
      <ul>
        {hits.map((hit) => (
          <li key={hit.id}>
            <Link
              className="kb-hit"
              to="/knowledge/$id"
              params={{ id: hit.number }}
              onClick={() => note(hit.id)}
            >
              <span className="kb-hit-head">
                <b className="grow">{hit.title}</b>
                <How hit={hit} />
                <span className="mono muted">{hit.number}</span>
              </span>
              {/* Escaped by the server: contains only text and highlights. */}
              <span className="kb-snippet" dangerouslySetInnerHTML={{ __html: hit.snippet }} />
            </Link>
          </li>
        ))}
        {others.map(({ id, number, title, state, summary }) => (
          <li key={id}>
            <Link className="kb-hit" to="/knowledge/$id" params={{ id: number }}>
              <span className="kb-hit-head">
                <b className="grow">{title}</b>
                <State state={state} />
                <span className="mono muted">{number}</span>
              </span>
              <span className="kb-snippet">{summary}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function How({ hit: { matchedBy } }: { readonly hit: Hit }) {
  const words = matchedBy.includes("text") ? "matching words" : "similar meaning";
  return <span className="muted kb-how">{words}</span>;
}

/** Reports the result of each search once: an article was opened, or the user left the results. */
function useNote(q: string, isFound: boolean, found: number): (openedId: string) => void {
  const noted = useRef("");
  const send = (openedId?: string): void => {
    if (noted.current === q) return;
    noted.current = q;
    const body = { q, found, ...(openedId !== undefined && { openedId }) };
    // Optional: the search does not depend on it.
    call("knowledge.note_search", { body }).catch(() => undefined);
  };
  useEffect(() => {
    if (!isFound) return;
    const timer = setTimeout(send, READ_MS);
    return () => clearTimeout(timer);
  });
  return send;
}
