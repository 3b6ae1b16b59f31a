import Type from "typebox";
import { Failure, MethodNotAllowed, NotFound } from "../operation/failure.ts";
import { document, type HtmlDocument, markup } from "./markup.ts";
import type { ErrorRendering, ProblemContext } from "../operation/problem.ts";

/** A failure with a custom page, such as a form to correct. */
export class FailureWithPage extends Failure {
  readonly page: HtmlDocument;

  constructor({ type, particulars }: Failure, page: HtmlDocument) {
    super(type, particulars);
    this.page = page;
  }
}

/** The link on the page of an invalid link. */
interface WayOn {
  readonly advice: string;
  readonly label: string;
  /** The path relative to the start page. */
  readonly path: string;
}

const GONE = 410;

/** Renders a failure as a page instead of a problem document. */
export const htmlErrorRendering: ErrorRendering = renderPages(errorPage);

/** Renders it for a browser at an unknown address, such as an incomplete link. */
export const strayErrorRendering: ErrorRendering = renderPages((failure, at) =>
  linkErrorPage(failure, at, { advice: "", label: "Go to the first page", path: "" }),
);

/** Renders it for the link in a message to a user, including addresses below it. */
export function buildLinkErrorRendering(way: WayOn): ErrorRendering {
  return renderPages((failure, at) => linkErrorPage(failure, at, way));
}

function renderPages(
  build: (failure: Failure, at: ProblemContext) => HtmlDocument,
): ErrorRendering {
  return {
    mediaType: "text/html",
    body: Type.String({ title: "ErrorPage", description: "HTML page with the error message" }),
    render(failure, at) {
      const page = failure instanceof FailureWithPage ? failure.page : build(failure, at);
      return {
        status: failure.type.status,
        headers: {
          ...failure.particulars.headers,
          ...page.headers,
          "content-type": "text/html; charset=utf-8",
          "content-security-policy": page.policy,
        },
        body: page.html,
      };
    },
  };
}

function errorPage(failure: Failure, { requestId }: ProblemContext): HtmlDocument {
  const { title, message } = describe(failure);
  return document({
    title,
    body: markup`<h1>${title}</h1>
<p>${message}</p>
<p class="faint">Request ${requestId}</p>`,
  });
}

function linkErrorPage(failure: Failure, at: ProblemContext, way: WayOn): HtmlDocument {
  const { title, message } = describe(failure);
  // A relative path, because a proxy may serve the installation below a path.
  const home = "../".repeat(at.instance.split("/").length - 2) || "./";
  return document({
    title,
    body: markup`<h1>${title}</h1>
<p>${message} ${way.advice}</p>
<p><a class="button" href="${home}${way.path}">${way.label}</a></p>
<p class="faint">Request ${at.requestId}</p>`,
  });
}

/** Describes it for visitors of a link, without parameters and methods. */
function describe({ type, message, particulars: { errors, detail } }: Failure): {
  title: string;
  message: string;
} {
  const isCut = errors !== undefined && errors.every(({ path }) => /^[?:]/.test(path));
  if (isCut) {
    const what =
      "A part of the address is missing or wrong. Open the complete link from the message.";
    return { title: "This link is incomplete", message: what };
  }
  const isNowhere = type === MethodNotAllowed || (type === NotFound && detail === undefined);
  if (isNowhere) {
    const what = "The address may be mistyped, or the page was deleted.";
    return { title: "Page not found", message: what };
  }
  return {
    title: type.status === GONE ? "This link has expired" : "Something went wrong",
    message,
  };
}
