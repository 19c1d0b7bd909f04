/**
 * Takes user and password out of a URL, as the header that says the same; undefined where there are none. A `fetch`
 * refuses them in a URL, and whatever prints the URL then does not have them.
 */
export function takeCredentials(url: URL): string | undefined {
  const { username, password } = url;
  if (username === '' && password === '') return undefined;
  url.username = '';
  url.password = '';
  const bytes = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
