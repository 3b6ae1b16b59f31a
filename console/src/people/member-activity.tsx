import { Link } from "@tanstack/react-router";
import { useOp } from "../data/api.ts";
import { Section } from "../ui/display/section.tsx";
import { ErrorNotice, Loading } from "../ui/feedback.tsx";
import { Ago } from "../ui/time.tsx";
import { toWords } from "../ui/words.ts";

const SHOWN = 8;

/** Shows a member's recent actions and links to the full list. */
export function MemberActivity({ userId }: { readonly userId: string }) {
  const { data, error, isPending, refetch } = useOp("audit.query", {
    query: { actorId: userId, limit: SHOWN },
  });
  return (
    <Section
      title="Recent activity"
      act={
        <Link to="/settings/audit" search={{ person: userId }} className="btn">
          Show all
        </Link>
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={3} />}
      {data?.data.length === 0 && <p className="section-empty">No activity yet.</p>}
      <ul>
        {data?.data.map(({ id, type, createdAt, resource }) => (
          <li key={id} className="entry">
            <span className="grow entry-words">
              <span className="entry-title">{toWords(type.replace(/^audit\./, ""))}</span>
              <span className="muted">
                {resource.number ?? resource.displayName ?? resource.id}
              </span>
            </span>
            <Ago at={createdAt} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
