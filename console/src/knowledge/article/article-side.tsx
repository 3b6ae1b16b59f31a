import { TICKET_KIND } from "@millrace/client/enums";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useMay } from "../../data/people.ts";
import { pathOf } from "../../data/resource-path.ts";
import { Ago } from "../../ui/time.tsx";
import { count, toDay } from "../../ui/words.ts";
import { Verdict } from "./verdict.tsx";

type Article = Schemas["Article"];

const COMMENTS_MAX = 20;
const TICKETS_MAX = 20;
const TICKETS: ReadonlySet<string> = new Set(TICKET_KIND);

/** The details of an article: state, owner, feedback and use. */
export function ArticleSide(props: { readonly article: Article; readonly mayWrite: boolean }) {
  const { article, mayWrite } = props;
  const nameOf = useNames();
  const { reviewDueAt, reviewerId, tags } = article;
  return (
    <aside className="kb-side" aria-label="Article details">
      <dl className="kb-facts">
        <Fact name="Owner">{nameOf(article.authorId) ?? "Former member"}</Fact>
        {reviewerId !== null && <Fact name="Reviewer">{nameOf(reviewerId) ?? "–"}</Fact>}
        <Fact name="Visible to">
          {article.visibility === "everyone" ? "Everyone" : "Knowledge authors"}
        </Fact>
        {article.category !== null && <Fact name="Category">{article.category}</Fact>}
        {tags.length > 0 && <Fact name="Tags">{tags.join(", ")}</Fact>}
        <Fact name="Updated">
          <Ago at={article.updatedAt} />
        </Fact>
        {article.publishedAt !== null && (
          <Fact name="Published">
            <Ago at={article.publishedAt} />
          </Fact>
        )}
        {reviewDueAt !== null && (
          <Fact name="Review date">
            <Due at={reviewDueAt} />
          </Fact>
        )}
        <Fact name="Helpful">
          <Verdict entry={article} />
        </Fact>
        <Fact name="Views">{count(article.openedCount, "time")}</Fact>
        <Fact name="Version">{article.version}</Fact>
      </dl>
      {mayWrite && <Comments id={article.id} />}
      <UsedIn number={article.number} />
    </aside>
  );
}

function Due({ at }: { readonly at: string }) {
  const isPast = Date.parse(at) < Date.now();
  return (
    <span className={isPast ? "kb-due" : undefined}>
      {isPast && "due since "}
      {toDay(at)}
    </span>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The comments of readers, with whether the article helped them. */
function Comments({ id }: { readonly id: string }) {
  const nameOf = useNames();
  const { data } = useOp("knowledge.list_feedback", {
    params: { id },
    query: { limit: COMMENTS_MAX },
  });
  const said = (data?.data ?? []).filter(({ comment }) => comment !== "");
  if (said.length === 0) return null;
  return (
    <section>
      <h2>Reader comments</h2>
      <ul className="kb-comments">
        {said.map(({ userId, helpful, comment, createdAt }) => (
          <li key={userId} className={helpful ? undefined : "bad"}>
            <p>{comment}</p>
            <span className="muted">
              {nameOf(userId) ?? "Unknown user"}, <Ago at={createdAt} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Tickets that refer to the article. */
function UsedIn({ number }: { readonly number: string }) {
  const may = useMay();
  const { data } = useOp(
    "search.find",
    { query: { q: number, limit: TICKETS_MAX } },
    { enabled: may("search.find") && may("incidents.list_children") },
  );
  const tickets = (data?.data.hits ?? []).filter(({ kind }) => TICKETS.has(kind));
  if (tickets.length === 0) return null;
  return (
    <section>
      <h2>Used in tickets</h2>
      <ul className="kb-used">
        {tickets.map(({ kind, id, title, ref }) => (
          <li key={id}>
            <Link className="kb-ticket" to={pathOf(kind, id, ref) ?? "/desk"}>
              <span className="grow cut">{title}</span>
              <span className="mono muted">{ref}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
