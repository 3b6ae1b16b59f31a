import Type from "typebox";
import { cookieOf, examine, logIn, LoggedIn, LoginFailed } from "#domains/identity/sessions/index.ts";
import { PageFailure, pageRefusal } from "#kernel/error-page.ts";
import { Failure, failure } from "#kernel/failure.ts";
import { command, query } from "#kernel/operation.ts";
import { html } from "#kernel/reply.ts";
import {
  AuthorizationQuery,
  examineRequest,
  UnknownApplication,
  UnknownRedirect,
} from "./authorization.ts";
import { decide, FormExpired, FormUsed, question } from "./consent.ts";
import { ConsentDenied, ConsentGranted } from "./events.ts";
import { loginPage } from "./pages.ts";
