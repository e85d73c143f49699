/**
 * Starts the standard Tomcat from the environment, says when it is ready and stops it gracefully.
 */
package uploadlab.server;
