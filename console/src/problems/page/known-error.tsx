import { Link, useNavigate } from "@tanstack/react-router";
import { BookOpen } from "lucide-react";
import { useState } from "react";
import { call, invalidate, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { useMay } from "../../data/people.ts";
import { State } from "../../ui/state.tsx";
import { notify } from "../../ui/toast.tsx";
import { toArticle } from "./known-error-article.ts";
import type { Problem } from "./problem.ts";
import { Refusal } from "../../ui/feedback.tsx";
import { toDay } from "../../ui/words.ts";

interface KnownErrorProps {
  readonly problem: Problem;
  readonly refusal: string | undefined;
}

/** A problem whose cause and workaround are known, and the article that tells them to everybody. */
export function KnownError({ problem, refusal }: KnownErrorProps) {
  const [refused, setRefused] = useState<string>();
  const isKnown = problem.knownErrorAt !== null;
  const why =
    refusal ??
    (problem.state !== "open" && problem.state !== "investigating"
      ? "It is solved already."
      : problem.rootCause === null || problem.workaround === null
        ? "Save its cause and its workaround first."
        : undefined);
  const declare = async (): Promise<void> => {
    try {
      await call("problems.declare_known_error", { params: { id: problem.id }, body: {} });
      invalidate(["problems.", "tickets."]);
      notify(`${problem.number} is a known error`);
      setRefused(undefined);
    } catch (error) {
      setRefused(describeRefusal(error));
    }
  };
  return (
    <section aria-label="Known error">
      <h2>Known error</h2>
      {isKnown ? (
        <p>Since {toDay(problem.knownErrorAt ?? "")}: it stands in the list of known errors.</p>
      ) : (
        <>
          <p className="muted">Once cause and workaround are known, say so to everybody.</p>
          <button
            className="btn"
            disabled={why !== undefined}
            title={why}
            onClick={() => void declare()}
          >
            Declare a known error
          </button>
          {why !== undefined && <p className="muted problem-why">{why}</p>}
        </>
      )}
      <Refusal reason={refused} />
      <Published problem={problem} />
    </section>
  );
}

/** The articles about a problem, by the tag that is its number. */
function Published({ problem }: { readonly problem: Problem }) {
  const may = useMay();
  const navigate = useNavigate();
  const filter = JSON.stringify({ tags: { contains: problem.number.toLowerCase() } });
  const articles = useOp(
    "knowledge.list",
    { query: { filter, limit: 5 } },
    { enabled: may("knowledge:read") },
  ).data?.data;
  const refusal = may("knowledge:write")
    ? undefined
    : "You may not write articles (knowledge:write).";
  const publish = async (): Promise<void> => {
    try {
      const { data } = await call("knowledge.create", { body: toArticle(problem) });
      invalidate(["knowledge."]);
      notify(`${data.number} is a draft: read it over, then publish it`);
      void navigate({ to: "/knowledge/$id/edit", params: { id: data.id } });
    } catch (error) {
      notify(describeRefusal(error));
    }
  };
  return (
    <div className="problem-articles">
      {(articles ?? []).map(({ id, title, state }) => (
        <Link key={id} to="/knowledge/$id" params={{ id }} className="problem-line">
          <BookOpen className="ico" aria-hidden="true" />
          <span className="grow cut">{title}</span>
          <State state={state} />
        </Link>
      ))}
      {articles?.length === 0 && (
        <button
          className="btn"
          disabled={refusal !== undefined || problem.workaround === null}
          title={refusal ?? (problem.workaround === null ? "Save a workaround first." : undefined)}
          onClick={() => void publish()}
        >
          <BookOpen /> Write an article about it
        </button>
      )}
    </div>
  );
}
