/** Says when Tomcat is ready and lets it end with exit code 0. */
package uploadlab.paper.server;
