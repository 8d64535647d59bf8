import { basePath } from "./base-path";

/** To the sign-in, and the page with what was typed into it stays as it is. */
export const SignInLink = () => (
  <a href={`${basePath()}/login`} target="_blank" rel="noopener" className="font-medium whitespace-nowrap underline">
    Sign in again
  </a>
);
