import { MACHINES } from "@millrace/client/machines";
import { Link, useNavigate } from "@tanstack/react-router";
import { BookOpen } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { useCommand } from "../../data/use-command.ts";
import { CommandButton } from "../../ui/form/command-button.tsx";
import { State } from "../../ui/state.tsx";
import { toDay } from "../../ui/words.ts";
import { toArticle } from "./known-error-article.ts";
import type { Problem } from "./problem.ts";

const FROM: readonly string[] = MACHINES.problem.actions.declare_known_error.from;

/** Publishes an article about a problem with known cause and workaround. */
export function KnownError({ problem }: { readonly problem: Problem }) {
  const declare = useCommand("problems.declare_known_error", {
    said: `${problem.number} declared a known error`,
    refusal: !FROM.includes(problem.state)
      ? "The problem is already resolved."
      : problem.rootCause === null || problem.workaround === null
        ? "Save the cause and the workaround first."
        : undefined,
  });
  return (
    <section aria-label="Known error">
      <h2>Known error</h2>
      {problem.knownErrorAt !== null ? (
        <p>Known error since {toDay(problem.knownErrorAt)}. Listed under Known errors.</p>
      ) : (
        <>
          <p className="muted">Declare known error when the cause and workaround are documented.</p>
          <CommandButton
            command={declare}
            onPress={() => void declare.run({ params: { id: problem.id }, body: {} })}
          >
            Declare known error
          </CommandButton>
          {declare.refusal !== undefined && <p className="muted problem-why">{declare.refusal}</p>}
        </>
      )}
      <Published problem={problem} />
    </section>
  );
}

/** The articles about a problem, found by its number as tag. */
function Published({ problem }: { readonly problem: Problem }) {
  const may = useMay();
  const navigate = useNavigate();
  const filter = JSON.stringify({ tags: { contains: problem.number.toLowerCase() } });
  const articles = useOp(
    "knowledge.list",
    { query: { filter, limit: 5 } },
    { enabled: may("knowledge.list") },
  ).data?.data;
  const publish = useCommand("knowledge.create", {
    said: ({ data }) => `${data.number} created as draft. Review and publish it.`,
    refusal: problem.workaround === null ? "Save a workaround first." : undefined,
    onDone: ({ data }) => void navigate({ to: "/knowledge/$id/edit", params: { id: data.id } }),
  });
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
        <CommandButton
          command={publish}
          onPress={() => void publish.run({ body: toArticle(problem) })}
        >
          <BookOpen /> Create article
        </CommandButton>
      )}
    </div>
  );
}
